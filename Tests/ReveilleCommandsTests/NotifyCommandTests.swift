import Glibc
import ReveilleCommands
import ReveilleJSON
import ReveilleNetwork
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTelemetry
import ReveilleTesting
import Testing

@Suite("Notifications are posted from the command line", .temporaryDirectory, .timeLimit(.minutes(1)))
struct NotifyCommandTests {
    /// A server on the store of `place`, for the time of `body`.
    private static func withServer<Result>(
        _ place: StorePlace, _ body: (HomeServer) async throws -> Result
    ) async throws -> Result {
        let settings = try HomeSettings.read(
            SettingsSource(environment: [
                "REVEILLE_LISTEN": "127.0.0.1:0", "REVEILLE_DATA": place.folder,
                "REVEILLE_MASTER_KEY_FILE": place.keyFile, "REVEILLE_VISIBLE_CATEGORIES": "mail",
            ]))
        let server = try await HomeServer.start(settings, log: .silent)
        do {
            let result = try await body(server)
            await server.stop()
            return result
        } catch {
            await server.stop()
            throw error
        }
    }

    private static func tokenFile(_ token: String) throws -> String {
        let file = try #require(TemporaryDirectory.current).file("producer.token")
        try PrivateFile.write(token + "\n", to: file)
        return file
    }

    private static func notify(_ url: String, _ tokenFile: String, _ words: String...) async -> CommandRun {
        await CommandRun.of(
            ["notify", "--server", url, "--token-file", tokenFile, "--to", "anna", "--category", "mail"]
                + ["--title", "the title", "--body", "the body"] + words)
    }

    @Test(
        "a post is accepted and stands in the profile's inbox; a silent one does not, and the same key posts nothing twice"
    )
    func accepted() async throws {
        let place = try StorePlace()
        let file = try Self.tokenFile(try await place.makeProducer("mail"))
        let (runs, inbox) = try await Self.withServer(place) { server in
            let url = "http://\(server.address.text)"
            let runs = [
                await Self.notify(url, file, "--idempotency-key", "once", "--json"),
                await Self.notify(url, file, "--idempotency-key", "once"),
                await Self.notify(url, file, "--silent"),
            ]
            let producer = try #require(try await server.store.producer(name: "mail"))
            let profile = try await server.store.profile("anna", of: producer)
            let inbox = try await server.store.deliveries(of: profile, before: nil, limit: 10)
            return (runs, inbox)
        }
        for run in runs { #expect(run.status == .success, "\(run.error)") }
        let id = try #require(runs[0].json["notification_id"]?.string)
        #expect(runs[1].out == "accepted as \(id)\n")
        // The inbox shows what may alert: the silent one is not among it.
        #expect(inbox.count == 1)
        #expect(inbox.first?.title == "the title")
        #expect(inbox.first?.body == "the body")
    }

    @Test("a server that nobody runs is status 3")
    func unreachable() async throws {
        let run = await Self.notify("http://127.0.0.1:1", try Self.tokenFile("rv_token"))
        #expect(run.status == .unreachable && run.status.rawValue == 3)
        #expect(run.out.isEmpty && run.error.contains("http://127.0.0.1:1 was not reached: nobody listens there"))
    }

    @Test("a refusal is status 4 and says the server's reason")
    func refused() async throws {
        let place = try StorePlace()
        let token = try await place.makeProducer("mail")
        let file = try Self.tokenFile(token)
        let revoked = await place.run("token", "revoke", "--file", file)
        #expect(revoked.status == .success)
        let run = try await Self.withServer(place) { server in
            await Self.notify("http://\(server.address.text)", file)
        }
        #expect(run.status == .refused && run.status.rawValue == 4)
        #expect(run.out.isEmpty && run.error.contains("the server refused: ") && run.error.contains("(401 "))
        #expect(!run.error.contains(token))
    }

    @Test(
        "a call that cannot be a post is status 2 and reaches no server",
        arguments: [
            ["--category", "c", "--title", "t"], ["--to", "anna", "--title", "t"], ["--to", "anna", "--category", "c"],
            ["--to", "anna", "--category", "c", "--title", "t", "--ttl", "1"],
            ["--to", "anna", "--category", "c", "--title", "t", "--token-file", "/nonexistent"],
            ["--to", "anna", "--category", "c", "--title", "t", "--server", "mail.example.org"],
        ])
    func wrongCalls(words: [String]) async throws {
        let file = words.contains("--token-file") ? [] : ["--token-file", try Self.tokenFile("rv_token")]
        let server = words.contains("--server") ? [] : ["--server", "http://127.0.0.1:1"]
        let run = await CommandRun.of(["notify"] + words + file + server)
        #expect(run.status == .usage && run.out.isEmpty && !run.error.isEmpty)
    }
}

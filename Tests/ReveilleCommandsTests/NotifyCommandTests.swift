import Glibc
import ReveilleBytes
import ReveilleCommands
import ReveilleCrypto
import ReveilleJSON
import ReveilleNetwork
import ReveilleRuntime
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTLS
import ReveilleTelemetry
import ReveilleTesting
import Testing

@Suite("Notifications are posted from the command line", .temporaryDirectory, .timeLimit(.minutes(5)))
struct NotifyCommandTests {
    /// A server on the store of `place`, for the time of `body`.
    static func withServer<Result>(
        _ place: StorePlace, _ more: [String: String] = [:], _ body: (HomeServer) async throws -> Result
    ) async throws -> Result {
        let variables = [
            "REVEILLE_LISTEN": "127.0.0.1:0", "REVEILLE_DATA": place.folder, "REVEILLE_MASTER_KEY_FILE": place.keyFile,
            "REVEILLE_VISIBLE_CATEGORIES": "mail",
        ]
        let settings = try HomeSettings.read(SettingsSource(environment: variables.merging(more) { $1 }))
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

    static func tokenFile(_ token: String) throws -> String {
        let file = try #require(TemporaryDirectory.current).file("producer.token")
        try PrivateFile.write(token + "\n", to: file)
        return file
    }

    static func notify(_ url: String, _ tokenFile: String, _ words: String...) async -> CommandRun {
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

    /// Accepts every post, and remembers how it came.
    private struct Acceptor: HTTPHandler {
        let seen = Probe<[HTTPRequest]>([])

        func respond(to request: HTTPRequest) async -> HTTPResponse {
            seen.append(request)
            return HTTPResponse(status: 202, body: .bytes(Array("{\"notification_id\":\"N\"}".utf8)))
        }
    }

    /// Runs `notify` against a server that accepts everything; the scheme follows from `tls`.
    private static func notify(tls: TLSContext?, _ words: String...) async throws -> (CommandRun, [HTTPRequest]) {
        try await withEventLoop { loop in
            let handler = Acceptor()
            let server = HTTPServer(
                configuration: HTTPServerConfiguration(address: .loopback(port: 0), tls: tls), loops: [loop],
                handler: handler, errorResponse: { status, _ in HTTPResponse(status: status) }, log: .silent)
            let port = try await server.start().port
            let url = tls == nil ? "http://127.0.0.1:\(port)" : "https://localhost:\(port)"
            let run = await CommandRun.of(
                ["notify", "--server", url, "--token-file", try tokenFile("rvp_token"), "--to", "anna"]
                    + ["--category", "mail", "--title", "t"] + words)
            await server.drain(within: .seconds(5))
            return (run, handler.seen.value)
        }
    }

    @Test("over plain HTTP it speaks HTTP/1.1, which is what a proxy there understands")
    func plain() async throws {
        let (run, seen) = try await Self.notify(tls: nil, "--idempotency-key", "a key of mine")
        #expect(run.status == .success, "\(run.error)")
        #expect(run.out == "accepted as N\n")
        let request = try #require(seen.first)
        #expect(request.version == .http11)
        #expect(request.fields["idempotency-key"] == "a key of mine")
        #expect(request.fields["authorization"] == "Bearer rvp_token")
    }

    @Test(
        "over TLS it prefers HTTP/2 and takes HTTP/1.1",
        arguments: [(["h2", "http/1.1"], HTTPVersion.http2), (["http/1.1"], .http11), ([], .http11)])
    func secure(offered: [String], version: HTTPVersion) async throws {
        let authority = try CertificateAuthority.generate(commonName: "Test authority")
        let file = try #require(TemporaryDirectory.current).file("ca.pem")
        try PrivateFile.write(authority.certificatePEM, to: file)
        let certificate = try authority.issueServerCertificate(names: ["localhost"], validity: .oneYear)
        let tls = try TLSContext(
            server: TLSServerConfiguration(
                certificateChainPEM: certificate.certificateChainPEM, privateKeyPEM: certificate.privateKeyPEM,
                alpn: offered))
        let (run, seen) = try await Self.notify(tls: tls, "--ca-file", file)
        #expect(run.status == .success, "\(run.error)")
        #expect(seen.map(\.version) == [version])
    }

    @Test(
        "what cannot be a header is a usage error that names its flag, and reaches no server",
        arguments: ["a\r\nx-injected: 1", "a\nb", "a\rb", "a\u{0}b", "a\u{7F}", "\u{E9}", " a", "a ", ""])
    func headers(key: String) async throws {
        let (run, seen) = try await Self.notify(tls: nil, "--idempotency-key=" + key)
        #expect(run.status == .usage)
        #expect(run.error.contains("--idempotency-key"))
        #expect(seen.isEmpty)
    }

    @Test(
        "a token that cannot be a header is a usage error, and is not shown", arguments: ["to\u{0}ken", "tok\u{E9}n"])
    func tokens(token: String) async throws {
        let run = await Self.notify("http://127.0.0.1:1", try Self.tokenFile(token))
        #expect(run.status == .usage)
        #expect(run.error.contains("--token-file") && !run.error.contains(token))
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
            ["--category", "c", "--title", "t"], ["--to", "anna", "--title", "t"],
            ["--to", "anna", "--category", "c", "--title", "t", "--ttl", "1"],
            ["--to", "anna", "--category", "c", "--ttl", "soon"], ["--to", "an\nna", "--category", "c"],
            ["--to", "a/b", "--category", "c"], ["--to", "anna", "--to", "anna", "--category", "c"],
            ["--to", "anna", "--category", ""], ["--to", "anna", "--category", "c\u{1B}"],
            ["--to", "anna", "--category", "c", "--title", "bell\u{7}"],
            ["--to", "anna", "--category", "c", "--series", ""],
            ["--to", "anna", "--category", "c", "--title", String(repeating: "t", count: 1_025)],
            ["--to", "anna", "--category", "c", "--body", String(repeating: "b", count: 16_385)],
            ["--to", "anna", "--category", "c", "--title", "t", "--token-file", "/nonexistent"],
            ["--to", "anna", "--category", "c", "--title", "t", "--server", "mail.example.org"],
            ["--to", "anna", "--category", "c", "--ca-file", "/nonexistent"],
        ])
    func wrongCalls(words: [String]) async throws {
        let file = words.contains("--token-file") ? [] : ["--token-file", try Self.tokenFile("rv_token")]
        let server = words.contains("--server") ? [] : ["--server", "http://127.0.0.1:1"]
        let run = await CommandRun.of(["notify"] + words + file + server)
        #expect(run.status == .usage && run.out.isEmpty && !run.error.isEmpty)
    }
}

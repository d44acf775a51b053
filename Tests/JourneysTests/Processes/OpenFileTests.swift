import ReveilleCommands
import ReveilleJSON
import ReveilleNetwork
import ReveilleTesting
import Testing

@Suite("A program that may open too few files says so at its start", .temporaryDirectory, .timeLimit(.minutes(5)))
struct OpenFileTests {
    static let commands: [[String]] = [
        ["serve"], ["demo", "--once"], ["emulate", "apns"], ["bench", "pipeline"],
        ["bench", "apns", "--url", "https://localhost:1"], ["producer", "create", "mail"],
    ]

    private static func start(_ words: [String], openFiles: Int) throws -> ProgramProcess {
        let directory = try #require(TemporaryDirectory.current)
        return try ProgramProcess(
            words,
            variables: [
                "REVEILLE_LISTEN": "127.0.0.1:0", "REVEILLE_DATA": directory.file("data"),
                "REVEILLE_MASTER_KEY_FILE": directory.file("master.key"), "TMPDIR": directory.path,
            ], log: directory.file("log"), openFiles: openFiles)
    }

    @Test(
        "with the limit, what is needed and what to do, as any start that fails", arguments: commands, [8, 16, 24, 60])
    func tooFew(words: [String], openFiles: Int) async throws {
        let program = try Self.start(words, openFiles: openFiles)
        #expect(try await program.end() == .exited(1))
        #expect(
            program.lastWords.contains("the limit of open files is \(openFiles), and")
                && program.lastWords.contains("needs ")
                && program.lastWords.contains("ulimit -n"), "\(program.lastWords)")
    }

    @Test("and with just enough it works", arguments: [["serve", "--json"]])
    func enough(words: [String]) async throws {
        let server = try Self.start(words, openFiles: 256)
        #expect(try await server.announcement()["url"]?.string != nil)
        server.send(15)
        #expect(try await server.end() == .exited(0))
    }

    @Test("strangers' connections are refused before the server lacks descriptors of its own")
    func strangers() async throws {
        let server = try Self.start(["serve", "--json"], openFiles: 256)
        let url = try #require(try await server.announcement()["url"]?.string)
        let (connections, refusals) = OpenFileLimit.shares(of: 256)
        try await withEventLoop(name: "strangers") { loop in
            var clients: [HTTPClient] = []
            for number in 0..<(connections + refusals) {
                let client = try HTTPClient.plain(url, loop: loop)
                clients.append(client)
                // Whoever is refused is told 503, unless the end of the connection overtakes the answer.
                let status = try? await client.call("GET", "/healthz").status
                #expect((status == 200) == (number < connections), "connection \(number): \(status ?? 0)")
            }
            #expect(try await clients[0].call("GET", "/readyz").status == 200)
            for client in clients { await client.close() }
        }
        server.send(15)
        #expect(try await server.end() == .exited(0))
    }

    @Test(
        "the shares of strangers leave something to the server, whatever the bound",
        arguments: [(256, 144, 16), (1_024, 864, 64), (4_096, 3_872, 128), (65_536, 10_000, 128), (64, 1, 4)])
    func shares(bound: Int, connections: Int, refusals: Int) {
        #expect(OpenFileLimit.shares(of: bound) == (connections, refusals))
    }

    @Test(
        "a bound on the size of files is an error that is told, and no end by a signal",
        .enabled(
            if: TestScale.current != .sanitizer, "a sanitizer's runtime dies of such a bound before the program starts")
    )
    func fileSize() async throws {
        let directory = try #require(TemporaryDirectory.current)
        let variables = [
            "REVEILLE_DATA": directory.file("data"), "REVEILLE_MASTER_KEY_FILE": directory.file("master.key"),
        ]
        let words = ["producer", "create", "mail"]
        let first = try ProgramProcess(words, variables: variables, log: directory.file("first"))
        #expect(try await first.end() == .exited(0))
        let second = try ProgramProcess(
            ["producer", "create", "media"], variables: variables, log: directory.file("second"), fileBlocks: 4)
        #expect(try await second.end() == .exited(1))
        #expect(second.lastWords.contains("reveille: "), "\(second.lastWords)")
    }

    @Test(
        "a bound that may be raised is raised as far as is of use",
        arguments: [(1_024, 4_096, 4_096), (1_024, 1 << 30, 65_536), (100_000, 1 << 30, 100_000), (64, 64, 64)])
    func raised(soft: Int, hard: Int, expected: Int) {
        #expect(OpenFileLimit.raised(soft: soft, hard: hard) == expected)
    }
}

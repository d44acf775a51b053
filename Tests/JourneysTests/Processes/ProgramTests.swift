import Glibc
import ReveilleJSON
import ReveilleTesting
import Testing

@Suite("The program as a process", .temporaryDirectory, .serialized, .timeLimit(.minutes(5)))
struct ProgramTests {
    private static func start(_ words: [String], _ variables: [String: String] = [:]) throws -> ProgramProcess {
        try ProgramProcess(
            words, variables: variables, log: try #require(TemporaryDirectory.current).file("log"))
    }

    private static func serve() throws -> ProgramProcess {
        let directory = try #require(TemporaryDirectory.current)
        return try start(
            ["serve", "--json"],
            [
                "REVEILLE_LISTEN": "127.0.0.1:0", "REVEILLE_DATA": directory.file("data"),
                "REVEILLE_MASTER_KEY_FILE": directory.file("master.key"),
            ])
    }

    @Test("a server drains and ends well at each of the signals that ask for it", arguments: [SIGTERM, SIGINT, SIGHUP])
    func stops(signal: Int32) async throws {
        let server = try Self.serve()
        #expect(try await server.announcement()["url"]?.string != nil)
        server.send(signal)
        #expect(try await server.end() == .exited(0))
        #expect(
            server.lastWords.contains(#""message":"drained""#) && server.lastWords.contains(#""message":"stopped""#))
    }

    @Test("a server that cannot listen where it shall says why, and what to do")
    func cannotListen() async throws {
        let directory = try #require(TemporaryDirectory.current)
        let variables = { (address: String, name: String) in
            [
                "REVEILLE_LISTEN": address, "REVEILLE_DATA": directory.file(name),
                "REVEILLE_MASTER_KEY_FILE": directory.file("\(name).key"),
            ]
        }
        let first = try Self.start(["serve", "--json"], variables("127.0.0.1:0", "first"))
        let url = try #require(try await first.announcement()["url"]?.string)
        let taken = String(url.dropFirst("http://".count))
        // An address for documentation belongs to no machine.
        for (address, words) in [(taken, "another server"), ("203.0.113.7:7780", "an address of this machine")] {
            let second = try Self.start(["serve"], variables(address, "second"))
            #expect(try await second.end() == .exited(1))
            #expect(
                second.lastWords.contains("cannot listen on \(address)") && second.lastWords.contains(words),
                "\(second.lastWords)")
        }
        first.send(SIGTERM)
        #expect(try await first.end() == .exited(0))
    }

    @Test("the emulator ends well at a hang-up")
    func emulatorStops() async throws {
        let directory = try #require(TemporaryDirectory.current)
        let emulator = try Self.start([
            "emulate", "apns", "--listen", "127.0.0.1:0", "--sandbox-listen", "127.0.0.1:0", "--json", "--ca-file",
            directory.file("ca.pem"),
        ])
        _ = try await emulator.announcement()
        emulator.send(SIGHUP)
        #expect(try await emulator.end() == .exited(0))
    }

    @Test("the pipeline is measured with real processes, whose counts agree")
    func benchPipeline() async throws {
        let bench = try Self.start(
            ["bench", "pipeline", "--json", "--devices", "4", "--wakes", "40", "--posts", "20", "--connections", "2"],
            ["TMPDIR": try #require(TemporaryDirectory.current).path])
        let figures = try await bench.announcement()
        #expect(try await bench.end() == .exited(0), "\(bench.lastWords)")
        #expect(figures["agree"]?.boolean == true && figures["devices"]?.integer == 4)
        // What warms the server up counts too.
        let wakes = try #require(figures["wakes"]?.integer)
        #expect(wakes > 40 + 20)
        #expect(figures["rows"]?.integer == wakes)
        for name in ["wakes_per_s", "posts_per_s"] { #expect(try #require(figures[name]?.integer) > 0) }
    }

    @Test(
        "a temporary folder that cannot be made is told under the variable that names it",
        arguments: [["demo", "--once"], ["bench", "pipeline"]])
    func noTemporaryFolder(words: [String]) async throws {
        let program = try Self.start(words, ["TMPDIR": "/nonexistent"])
        #expect(try await program.end() == .exited(1))
        #expect(program.lastWords.contains("TMPDIR") && program.lastWords.contains("no such file or directory"))
    }
}

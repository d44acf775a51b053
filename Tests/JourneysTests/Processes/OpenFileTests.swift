import ReveilleCommands
import ReveilleJSON
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

    @Test(
        "a bound that may be raised is raised as far as is of use",
        arguments: [(1_024, 4_096, 4_096), (1_024, 1 << 30, 65_536), (100_000, 1 << 30, 100_000), (64, 64, 64)])
    func raised(soft: Int, hard: Int, expected: Int) {
        #expect(OpenFileLimit.raised(soft: soft, hard: hard) == expected)
    }
}

import Glibc
import ReveilleCommands
import ReveilleJSON
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTesting
import Testing

@Suite("Output that is lost is no success", .temporaryDirectory, .timeLimit(.minutes(5)))
struct LostOutputTests {
    /// A call whose output goes to a full disk: what it tried to print, and how it ended.
    private static func run(_ words: [String]) async -> CommandRun {
        let tried = Probe("")
        let error = Probe("")
        let terminal = Terminal(
            out: { (text) throws(Terminal.OutputLost) in
                tried.update { $0 += text }
                throw Terminal.OutputLost(reason: "no space left on device")
            }, error: { text in error.update { $0 += text } })
        let status = await Program.run(words, terminal: terminal)
        return CommandRun(status: status, out: tried.value, error: error.value)
    }

    @Test(
        "a token that nobody could see opens nothing, and the command says so",
        arguments: [
            ["producer", "create", "other"], ["token", "create", "--producer", "mail"], ["token", "create", "--admin"],
            ["token", "create", "--producer", "mail", "--profile", "anna"],
        ])
    func tokens(words: [String]) async throws {
        let place = try StorePlace()
        _ = try await place.makeProducer("mail")
        let run = await Self.run(words + place.options)
        #expect(run.status == .failure)
        #expect(run.error.contains("no space left on device") && run.error.contains("revoked again"))
        #expect(!run.error.contains("keep it in a file"))
        let token = run.out.filter { !$0.isWhitespace }
        #expect(!token.isEmpty)
        #expect(try await place.withStore { try await $0.credential(token: token) } == nil)
    }

    @Test(
        "any other command fails too",
        arguments: [["--version"], ["--help"], ["keys", "--help"], ["serve", "--help"], ["producer", "list"]])
    func others(words: [String]) async throws {
        let place = try StorePlace()
        _ = try await place.makeProducer("mail")
        let run = await Self.run(words + (words == ["producer", "list"] ? place.options : []))
        #expect(
            run.status == .failure && run.error.contains("the output could not be written: no space left on device"))
    }
}

@Suite("Arguments are texts")
struct ArgumentTextTests {
    @Test("octets that are no UTF-8 are refused with their place, never replaced")
    func notText() {
        let octets: [[UInt8]] = [Array("notify".utf8), Array("--title".utf8), [0x68, 0xFF]]
        let error = #expect(throws: UsageError.self) { try Program.arguments(octets) }
        #expect(error?.message == "argument 3, behind '--title', is not UTF-8")
    }

    @Test("texts stay as they are")
    func text() throws {
        #expect(try Program.arguments([Array("größe".utf8), []]) == ["größe", ""])
    }

    @Test("words of a call cannot steer the terminal through a message")
    func escapes() async {
        let run = await CommandRun.of("\u{1B}]0;owned\u{7}\u{9B}31m")
        #expect(run.status == .usage && run.error.contains("owned"))
        #expect(run.error.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x9B || $0 == "\n" })
    }
}

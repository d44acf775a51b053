import ReveilleCommands
import ReveilleJSON
import ReveilleTesting
import Testing

@Suite("Progress is for a person at a terminal", .temporaryDirectory, .timeLimit(.minutes(5)))
struct ProgressTests {
    /// What rewrites a line in place: back to its beginning, and the rest of it away (ECMA-48, CR and EL).
    private static let rewrite = "\r\u{1B}[K"

    @Test("which it rewrites in place, and nothing is left of it in a file", arguments: [true, false])
    func terminal(isInteractive: Bool) {
        let error = Probe("")
        let terminal = CommandRun.terminal(out: Probe(""), error: error, isInteractive: isInteractive)
        terminal.progress("one")
        terminal.progress("two\u{1B}]0;\u{7}")
        terminal.endProgress()
        let shown = "\(Self.rewrite)one\(Self.rewrite)two\u{FFFD}]0;\u{FFFD}\n"
        #expect(error.value == (isInteractive ? shown : ""))
    }

    @Test("sealing anew shows how far it is, and its end is told to everybody", arguments: [true, false])
    func sealing(isInteractive: Bool) async throws {
        let place = try StorePlace()
        _ = try await place.makeProducer("mail")
        _ = try await place.withStore { try await place.fill($0, producer: "mail") }
        #expect(await CommandRun.of("keys", "rotate-master", place.keyFile).status == .success)
        let (out, error) = (Probe(""), Probe(""))
        let status = await Program.run(
            ["keys", "rotate-master", "--forget-former", place.keyFile, "--data", place.folder],
            terminal: CommandRun.terminal(out: out, error: error, isInteractive: isInteractive))
        #expect(status == .success)
        #expect(error.value.contains("\(Self.rewrite)sealed anew: 2\n") == isInteractive)
        #expect(error.value.contains(Self.rewrite) == isInteractive)
        #expect(error.value.hasSuffix("devices and notifications that were sealed anew: 2\n"))
        #expect(!out.value.contains(Self.rewrite))
    }

    @Test("a measurement of more than a second shows how far it is, and its figures stay alone in the output")
    func measuring() async throws {
        let script = try #require(TemporaryDirectory.current).file("faults.json")
        try PrivateFile.write(
            #"{"faults": [{"when": {"skip": 3, "first": 1}, "action": {"kind": "hold"}}]}"#, to: script)
        let (out, error) = (Probe(""), Probe(""))
        let status = try await EmulatorRun.with(["--faults", script]) { emulator in
            let words = ["bench", "apns", "--url", emulator.url, "--ca-file", emulator.authorityFile, "--count", "5"]
            let running = Task {
                await Program.run(words, terminal: CommandRun.terminal(out: out, error: error, isInteractive: true))
            }
            try await error.wait { $0.contains("\(Self.rewrite)4 of 5 requests answered") }
            _ = try await emulator.control("POST", "/release", [:])
            return await running.value
        }
        #expect(status == .success)
        #expect(error.value.hasSuffix("requests answered\n"))
        #expect(out.value.hasPrefix("{") && !out.value.contains("answered"))
    }
}

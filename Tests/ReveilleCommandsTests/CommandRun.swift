import ReveilleCommands
import ReveilleJSON
import ReveilleTesting

/// One call of the program, inside this process: how it ended and what it wrote.
struct CommandRun: Sendable {
    let status: ExitStatus
    let out: String
    let error: String

    /// The output as JSON, null when it is none.
    var json: JSONValue { (try? JSONReader.parse(Array(out.utf8))) ?? .null }

    /// The lines of the output.
    var lines: [String] { out.split(separator: "\n").map(String.init) }

    /// Calls the program and waits for its end.
    static func of(_ words: String...) async -> CommandRun { await of(words) }

    /// Calls the program and waits for its end.
    static func of(_ words: [String]) async -> CommandRun {
        let out = Probe("")
        let error = Probe("")
        let status = await Program.run(words, terminal: terminal(out: out, error: error))
        return CommandRun(status: status, out: out.value, error: error.value)
    }

    /// A terminal that keeps what is written.
    static func terminal(out: Probe<String>, error: Probe<String>, isInteractive: Bool = false) -> Terminal {
        Terminal(
            out: { text in out.update { $0 += text } }, error: { text in error.update { $0 += text } },
            isInteractive: isInteractive)
    }
}

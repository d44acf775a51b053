/// One command of the program: its words, what it takes, and what it does.
package struct Command: Sendable {
    /// The words that name it, such as `["bench", "apns"]`.
    package let path: [String]
    /// One line for the list of commands.
    package let summary: String
    /// What a reader of `--help` should know beyond the options.
    package let discussion: String
    package let operands: [Operand]
    package let options: [Option]
    /// How many files it must be able to have open at once.
    package let openFiles: Int
    /// Does the work; output goes to the terminal given.
    package let run: @Sendable (Invocation, Terminal) async throws -> ExitStatus

    /// Describes a command.
    package init(
        path: [String], summary: String, discussion: String = "", operands: [Operand] = [],
        options: [Option] = [], openFiles: Int = OpenFileLimit.forCommand,
        run: @escaping @Sendable (Invocation, Terminal) async throws -> ExitStatus
    ) {
        self.path = path
        self.summary = summary
        self.discussion = discussion
        self.operands = operands
        self.options = options
        self.openFiles = openFiles
        self.run = run
    }
}

/// A positional argument.
package struct Operand: Sendable {
    package let name: String
    package let help: String
    package let isRequired: Bool

    /// Describes an operand.
    package init(name: String, help: String, isRequired: Bool = true) {
        self.name = name
        self.help = help
        self.isRequired = isRequired
    }
}

/// An argument that begins with two dashes.
package struct Option: Sendable {
    /// The name with its dashes.
    package let name: String
    /// What stands for the value in the help; nil for a switch without a value.
    package let placeholder: String?
    package let help: String
    /// True when it may be given more than once.
    package let isRepeatable: Bool

    /// Describes an option.
    package init(
        _ name: String, _ placeholder: String? = nil, help: String, isRepeatable: Bool = false
    ) {
        self.name = name
        self.placeholder = placeholder
        self.help = help
        self.isRepeatable = isRepeatable
    }

    /// Output for machines, taken by many commands.
    package static let json = Option("--json", help: "print one JSON document instead of text")
}

/// How the program ends; every command uses these and no other numbers.
package enum ExitStatus: Int32, CaseIterable, Sendable {
    case success = 0
    /// What was asked was tried and did not work.
    case failure = 1
    /// The arguments or settings are wrong; nothing was tried.
    case usage = 2
    /// A server could not be reached.
    case unreachable = 3
    /// A server was reached and refused.
    case refused = 4
}

internal import ReveilleStorage

/// The program: finds the command, runs it, and turns whatever went wrong into a sentence and a status.
package enum Program {
    /// The version, written by `--version` and into answers and logs.
    package static let version = "0.1.0"

    /// All commands, in the order of the help.
    package static var commands: [Command] {
        [
            ServeCommand.command, DemoCommand.command, EmulateAPNsCommand.command,
            ProducerCommands.create, ProducerCommands.list, TokenCommands.create,
            TokenCommands.revoke, NotifyCommand.command, DevicesCommand.command,
            KeysCheckCommand.command, MasterKeyCommands.make, MasterKeyCommands.rotate,
            BenchAPNsCommand.command, BenchPipelineCommand.command,
        ]
    }

    /// Runs the program with `arguments`, its own name left out.
    package static func run(
        _ arguments: [String], terminal: Terminal = .process
    ) async -> ExitStatus {
        do {
            switch try ArgumentScanner(commands: commands).scan(arguments) {
            case .overview:
                terminal.print(HelpText.overview(commands))
                return arguments.isEmpty ? .usage : .success
            case .version:
                terminal.print(Versions.text)
                return .success
            case .help(let command):
                terminal.print(HelpText.page(command))
                return .success
            case .group(let words, let members):
                terminal.print(HelpText.group(words, members))
                return .success
            case .run(let command, let invocation):
                return try await command.run(invocation, terminal)
            }
        } catch {
            return explain(error, terminal)
        }
    }

    private static func explain(_ error: any Error, _ terminal: Terminal) -> ExitStatus {
        switch error {
        case let error as UsageError:
            terminal.note("reveille: \(error.message)")
            return .usage
        case let error as SettingsError:
            terminal.note("reveille: these settings need a correction:")
            for problem in error.problems { terminal.note("  - \(problem)") }
            return .usage
        case let error as CommandFailure:
            terminal.note("reveille: \(error.message)")
            return error.status
        case let error as StoreError:
            terminal.note("reveille: \(StoreSentences.sentence(error))")
            return .failure
        default:
            // Errors of libraries have a fixed description without data of users.
            terminal.note("reveille: an unexpected error ended the command (\(type(of: error)))")
            return .failure
        }
    }
}

/// A command that was tried and did not work, with a sentence that says what to do.
package struct CommandFailure: Error, Sendable {
    /// The sentence.
    package let message: String
    /// How the program ends.
    package let status: ExitStatus

    /// Describes a failure.
    package init(_ message: String, status: ExitStatus = .failure) {
        self.message = message
        self.status = status
    }
}

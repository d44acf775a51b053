internal import Glibc
internal import ReveilleRuntime
internal import ReveilleStorage

/// The program: finds the command, runs it, and turns whatever went wrong into a sentence and a status.
package enum Program {
    /// The version, written by `--version` and into answers and logs.
    package static let version = "0.1.0"

    /// All commands, in the order of the help.
    package static var commands: [Command] {
        [
            ServeCommand.command, DemoCommand.command, EmulateAPNsCommand.command, EmulateFCMCommand.command,
            EmulateWebPushCommand.command, EmulateUnifiedPushCommand.command, EmulateAllCommand.command,
            ProducerCommands.create, ProducerCommands.list, TokenCommands.create,
            TokenCommands.revoke, NotifyCommand.command, DevicesCommand.command,
            KeysCheckCommand.command, MasterKeyCommands.make, MasterKeyCommands.rotate,
            BenchAPNsCommand.command, BenchEncryptCommand.command, BenchPipelineCommand.command,
        ]
    }

    /// Runs the program with the arguments and streams of this process.
    package static func main() async -> ExitStatus {
        // Descriptors that are closed would be given to the first files that are opened, and results be written into them.
        StandardStreams.occupy()
        // Output into a closed pipe is an error that can be told; the signal would end the program in the middle of its work.
        ProcessSignals.ignore(SIGPIPE)
        // So is a write beyond the size that files may have (RLIMIT_FSIZE).
        ProcessSignals.ignore(SIGXFSZ)
        do throws(UsageError) {
            return await run(try arguments(CommandLine.octets))
        } catch {
            return explain(error, .process)
        }
    }

    /// The texts of arguments, which must be UTF-8: nothing is guessed into a title, a name or a path.
    package static func arguments(_ octets: [[UInt8]]) throws(UsageError) -> [String] {
        var texts: [String] = []
        for (index, octets) in octets.enumerated() {
            guard let text = String(validating: octets, as: UTF8.self) else {
                throw UsageError(
                    "argument \(index + 1)\(texts.last.map { ", behind '\($0.prefix(60))'," } ?? "") is not UTF-8")
            }
            texts.append(text)
        }
        return texts
    }

    /// Runs the program with `arguments`, its own name left out.
    package static func run(
        _ arguments: [String], terminal: Terminal = .process
    ) async -> ExitStatus {
        do {
            let status = try await answer(arguments, terminal)
            if status == .success, let lost = terminal.lostOutput {
                throw CommandFailure("the output could not be written: \(lost.reason)")
            }
            return status
        } catch {
            return explain(error, terminal)
        }
    }

    private static func answer(_ arguments: [String], _ terminal: Terminal) async throws -> ExitStatus {
        switch try ArgumentScanner(commands: commands).scan(arguments) {
        case .overview:
            terminal.print(HelpText.overview(commands))
            return arguments.isEmpty ? .usage : .success
        case .version: terminal.print(Versions.text)
        case .help(let command): terminal.print(HelpText.page(command))
        case .group(let words, let members): terminal.print(HelpText.group(words, members))
        case .run(let command, let invocation):
            try OpenFileLimit.secure(command.openFiles, for: command.path)
            return try await command.run(invocation, terminal)
        }
        return .success
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

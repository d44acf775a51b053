internal import Glibc

/// A process that was started here: its first line of output, its end, and what it uses.
final class ChildProcess: Sendable {
    let processID: Int32

    private init(processID: Int32) { self.processID = processID }

    /// Starts this very program with other arguments and waits for the first line it prints.
    ///
    /// Blocks until the line is there or the process ended; meant for benchmarks, not for servers.
    static func startOurselves(
        _ arguments: [String], environment: [String: String], errorsTo path: String
    ) throws(CommandFailure) -> (child: ChildProcess, line: String) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw CommandFailure("no pipe can be made") }
        _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        posix_spawn_file_actions_addclose(&actions, ends[1])
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        var words = (["reveille"] + arguments).map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for word in words + variables { free(word) } }
        var processID: pid_t = 0
        let result = posix_spawn(&processID, "/proc/self/exe", &actions, nil, &words, &variables)
        close(ends[1])
        defer { close(ends[0]) }
        guard result == 0 else { throw CommandFailure("reveille \(arguments[0]) cannot be started") }
        let child = ChildProcess(processID: processID)
        guard let line = firstLine(ends[0]) else {
            child.stop()
            throw CommandFailure("reveille \(arguments.prefix(2).joined(separator: " ")) did not start; see \(path)")
        }
        return (child, line)
    }

    private static func firstLine(_ descriptor: Int32) -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while read(descriptor, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
            if bytes.count > 65_536 { return nil }
        }
        return nil
    }

    /// Asks it to end, and waits until it has.
    func stop() {
        kill(processID, SIGTERM)
        var status: Int32 = 0
        waitpid(processID, &status, 0)
    }

    /// The most memory it had, in KiB.
    var peakMemoryKiB: Int? { status("VmHWM:") }
    /// The memory it has now, in KiB.
    var memoryKiB: Int? { status("VmRSS:") }

    private func status(_ name: String) -> Int? {
        guard let text = try? FileContents.text("/proc/\(processID)/status") else { return nil }
        for line in text.split(separator: "\n") where line.hasPrefix(name) {
            return Int(line.dropFirst(name.count).filter(\.isNumber))
        }
        return nil
    }
}

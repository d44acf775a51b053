import Glibc
import ReveilleJSON
import ReveilleRuntime

/// A process of the program under test: its first line of output, its signals and its end.
final class ProgramProcess: Sendable {
    /// How a process ended.
    enum End: Hashable, Sendable {
        case exited(Int32)
        case killed(Int32)

        /// Reads what `waitpid` reports.
        init(waitStatus: Int32) {
            let signal = waitStatus & 0x7F
            self = signal == 0 ? .exited(waitStatus >> 8 & 0xFF) : .killed(signal)
        }
    }

    /// A process could not be started, or ended before it said where it listens.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The program: what `REVEILLE_BINARY` names, otherwise what was built beside the tests.
    static let path: String? = {
        if let named = getenv("REVEILLE_BINARY") { return String(cString: named) }
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        guard count > 0 else { return nil }
        let tests = String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard let slash = tests.lastIndex(of: "/") else { return nil }
        let beside = tests[...slash] + "reveille"
        return access(String(beside), X_OK) == 0 ? String(beside) : nil
    }()

    let processID: Int32
    /// The file that holds what it wrote to its standard error.
    let log: String
    private let arguments: [String]
    private let line = OneShot<String?>()
    private let ending = OneShot<End>()
    private let watcher: WorkerThread

    /// Starts the program with nothing in its environment but `variables`.
    ///
    /// - Parameters:
    ///   - openFiles: how many files it may have open at once, and cannot raise; nil for as many as the tests.
    ///   - fileBlocks: how many blocks of 512 octets the files that it writes may have; nil for any number.
    init(
        _ arguments: [String], variables: [String: String], log: String, openFiles: Int? = nil, fileBlocks: Int? = nil
    ) throws {
        self.arguments = arguments
        self.log = log
        // Unlike a pipe's, the ends of a socket pair are closed on exec from their making on, so no other child gets them.
        var ends: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard let path = Self.path, socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw Failure(description: "there is no program to start; build it, or name it in REVEILLE_BINARY")
        }
        defer { close(ends[1]) }
        let limits = [openFiles.map { "ulimit -n \($0) && " }, fileBlocks.map { "ulimit -f \($0) && " }].compactMap(
            \.self)
        let words = limits.isEmpty ? [path] : ["/bin/sh", "-c", limits.joined() + "exec \"$0\" \"$@\"", path]
        processID = try Self.spawn(words + arguments, variables: variables, output: ends[1], log: log)
        watcher = WorkerThread(name: "watch-\(processID)")
        watcher.submit { [line, ending, processID, output = ends[0]] in
            line.fulfil(Self.firstLine(output))
            var status: Int32 = 0
            while waitpid(processID, &status, 0) < 0, errno == EINTR {}
            close(output)
            ending.fulfil(End(waitStatus: status))
        }
    }

    private static func spawn(
        _ words: [String], variables: [String: String], output: Int32, log: String
    ) throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        var arguments = words.map { strdup($0) } + [nil]
        var settings = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for word in arguments + settings { free(word) } }
        var processID: pid_t = 0
        let result = posix_spawn(&processID, words[0], &actions, nil, &arguments, &settings)
        guard result == 0 else { throw Failure(description: "\(words[0]): \(String(cString: strerror(result)))") }
        return processID
    }

    private static func firstLine(_ descriptor: Int32) -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while read(descriptor, &byte, 1) == 1, bytes.count < 65_536 {
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        return nil
    }

    /// Waits for the line in which the program says where it listens.
    func announcement() async throws -> JSONValue {
        guard let text = try await line.wait() else {
            throw Failure(description: "\(arguments.joined(separator: " ")) ended at its start; \(lastWords)")
        }
        return try JSONReader.parse(Array(text.utf8))
    }

    /// Changes how many files the running process may have open at once; those that it has stay open.
    ///
    /// Blocks for a moment.
    func limitOpenFiles(to count: Int) throws {
        let words = ["/usr/bin/prlimit", "--pid", "\(processID)", "--nofile=\(count):"]
        var arguments = words.map { strdup($0) } + [nil]
        defer { for word in arguments { free(word) } }
        var child: pid_t = 0
        var status: Int32 = 0
        guard posix_spawn(&child, words[0], nil, nil, &arguments, nil) == 0,
            waitpid(child, &status, 0) == child,
            status == 0
        else { throw Failure(description: "the limit of open files cannot be changed") }
    }

    /// Sends a signal, unless the process has ended.
    func send(_ signal: Int32) {
        if ending.value == nil { kill(processID, signal) }
    }

    /// Waits for the end.
    func end() async throws -> End {
        let end = try await ending.wait()
        watcher.stop()
        return end
    }

    /// How it ended, if it has.
    var presentEnd: End? { ending.value }

    /// The last lines that it wrote to its standard error.
    var lastWords: String {
        guard let file = fopen(log, "r") else { return "it wrote nothing" }
        defer { fclose(file) }
        fseek(file, 0, SEEK_END)
        fseek(file, max(0, ftell(file) - 2_000), SEEK_SET)
        var bytes = [UInt8](repeating: 0, count: 2_000)
        let count = fread(&bytes, 1, bytes.count, file)
        return "last it wrote: " + String(decoding: bytes[..<count], as: UTF8.self)
    }
}

import Glibc
import ReveilleBytes
import ReveilleCrypto
import ReveilleJSON
import ReveilleNetwork
import ReveilleRuntime
import ReveilleSQLite

/// One store in one folder, the emulated Apple, and the server processes that work on them one after the other or together.
final class CrashWorld: Sendable {
    /// A server process that listens, or will.
    final class Server: Sendable {
        let process: ProgramProcess
        private let loop: EventLoop
        private let open = Locked<[HTTPClient]>([])

        init(process: ProgramProcess, loop: EventLoop) {
            self.process = process
            self.loop = loop
        }

        /// Waits until it listens, and connects anew.
        func connect() async throws {
            guard let url = try await process.announcement()["url"]?.string else {
                throw ProgramProcess.Failure(description: "the server did not say where it listens")
            }
            let clients = try (0..<2).map { _ in try HTTPClient.plain(url, loop: loop) }
            open.withLock { $0 = clients }
        }

        /// Connections to it; none before ``connect()`` and after ``leave()``.
        var clients: [HTTPClient] { open.withLock { $0 } }

        /// Gives up every request that it has not answered.
        func leave() async {
            let clients = open.withLock { clients in
                defer { clients = [] }
                return clients
            }
            for client in clients { await client.close() }
        }

        /// Kills it and waits for its end, which must not have come before.
        func kill() async throws {
            process.send(SIGKILL)
            try await expectEnd(.killed(SIGKILL))
        }

        /// Asks it to end, and waits until it has, without complaint.
        func drain() async throws {
            process.send(SIGTERM)
            try await expectEnd(.exited(0))
        }

        private func expectEnd(_ expected: ProgramProcess.End) async throws {
            await leave()
            let end = try await process.end()
            guard end == expected else {
                throw ProgramProcess.Failure(description: "the server ended as \(end); \(process.lastWords)")
            }
        }
    }

    /// Producers, each made by the command for it.
    private static let producers = ["mail", "media"]

    let apple: EmulatedApple
    let loop: EventLoop
    let worker: WorkerThread
    private let folder: String
    private let settings: [String: String]
    private let servers = Locked<[Server]>([])

    /// The database file.
    var database: String { folder + "/data/reveille.db" }
    /// The file of the master key.
    var masterKeyFile: String { folder + "/master.key" }

    /// Starts the emulator and makes the files that servers need.
    init(folder: String, loop: EventLoop) async throws {
        self.folder = folder
        self.loop = loop
        apple = try await EmulatedApple.start(in: folder, loop: loop)
        worker = WorkerThread(name: "crash-files")
        let settings = [
            "REVEILLE_DATA": folder + "/data", "REVEILLE_MASTER_KEY_FILE": folder + "/master.key",
            "REVEILLE_APPLE_PUSH": "custom_apns", "REVEILLE_APNS_TEAM_ID": "CRASHTEAM1",
            "REVEILLE_APNS_KEY_ID": "CRASHKEY01", "REVEILLE_APNS_KEY_FILE": folder + "/apns.p8",
            "REVEILLE_APPS": CrashHousehold.topic, "REVEILLE_VISIBLE_CATEGORIES": CrashHousehold.visibleCategory,
            "REVEILLE_LISTEN": "127.0.0.1:0", "REVEILLE_DRAIN_SECONDS": "5", "REVEILLE_LOG_LEVEL": "warning",
        ]
        self.settings = settings.merging(apple.settings) { first, _ in first }
        try Self.writeKey(folder + "/apns.p8")
    }

    private static func writeKey(_ path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        defer { close(file) }
        let text = Array(P256PrivateKey.generate().pkcs8PEM.reveal().utf8)
        guard write(file, text, text.count) == text.count else {
            throw ProgramProcess.Failure(description: "\(path) cannot be written")
        }
    }

    /// Ends every process, whatever state it is in.
    func stop() async throws {
        let servers = servers.withLock { $0 }
        for server in servers { server.process.send(SIGKILL) }
        // Apart from the caller's cancellation: no process may stay.
        try await Task { [apple] in
            for server in servers {
                await server.leave()
                _ = try await server.process.end()
            }
            try await apple.stop()
        }.value
        worker.stop()
    }

    /// Makes the producers of the test; returns their tokens.
    func makeProducers() async throws -> [String] {
        var tokens: [String] = []
        for name in Self.producers {
            let command = try ProgramProcess(
                ["producer", "create", name, "--json"], variables: commandSettings, log: folder + "/commands.log")
            tokens.append(try await command.announcement()["token"]?.string ?? "")
            _ = try await command.end()
        }
        return tokens
    }

    /// What a command that works on the store is told.
    private var commandSettings: [String: String] {
        settings.filter { ["REVEILLE_DATA", "REVEILLE_MASTER_KEY_FILE"].contains($0.key) }
    }

    /// Makes a server process; `more` are further settings.
    func makeServer(
        _ name: String, leaseSeconds: Int, connections: Int = 2, more: [String: String] = [:]
    ) throws -> Server {
        var variables = settings
        variables["REVEILLE_LEASE_SECONDS"] = String(leaseSeconds)
        variables["REVEILLE_APNS_CONNECTIONS"] = String(connections)
        let process = try ProgramProcess(
            ["serve", "--json"], variables: variables.merging(more) { $1 }, log: "\(folder)/server-\(name).log")
        let server = Server(process: process, loop: loop)
        servers.withLock { servers in
            servers.removeAll { $0.process.presentEnd != nil }
            servers.append(server)
        }
        return server
    }

    // MARK: The file

    /// The wakes that are not settled, and the newest wake of the same moment.
    func outbox() async throws -> (unsettled: Int64, newest: Int64) {
        try await worker.run { [database] in
            let file = try SQLiteConnection(path: database, access: .readOnly, busyMilliseconds: 5_000)
            return try file.prepare("SELECT count(*) FILTER (WHERE state < 3), coalesce(max(id), 0) FROM wake")
                .first { ($0.integer(0), $0.integer(1)) } ?? (0, 0)
        }
    }

    /// Whether every lease is in the hands of the process that started last.
    func newestHoldsAllLeases() async throws -> Bool {
        try await worker.run { [database] in
            let file = try SQLiteConnection(path: database, access: .readOnly, busyMilliseconds: 5_000)
            return try file.integer(
                "SELECT count(*) FROM wake WHERE state = 1 AND lease_slot < (SELECT max(id) FROM slot)") == 0
        }
    }

    /// Waits until every thread of a process that was sent SIGSTOP stands still.
    func waitUntilStopped(_ server: Server) async throws {
        try await worker.run { [processID = server.process.processID] in
            var info = siginfo_t()
            // Only looked at: the end, should it come first, is for who waits for it.
            while waitid(P_PID, id_t(processID), &info, WSTOPPED | WEXITED | WNOWAIT) < 0, errno == EINTR {}
        }
    }

    /// Whether a process holds a lock of the store that another one would meet: that of a writer, of a checkpoint, or one of
    /// those that are held for a moment at the beginning of a transaction.
    ///
    /// Asked of the kernel, because SQLite itself waits ten seconds for some of them. The places of the locks are part of
    /// SQLite's file format (https://sqlite.org/walformat.html, section 2.3).
    func holdsLock(_ server: Server) async throws -> Bool {
        try await worker.run { [path = database + "-shm", processID = server.process.processID] in
            let file = open(path, O_RDWR | O_CLOEXEC)
            guard file >= 0 else { throw ProgramProcess.Failure(description: "\(path) is missing") }
            defer { close(file) }
            return (120..<128).contains { place in
                var lock = flock()
                // A shared lock is asked for: only an exclusive one stands in its way.
                lock.l_type = Int16(F_RDLCK)
                lock.l_whence = Int16(SEEK_SET)
                lock.l_start = off_t(place)
                lock.l_len = 1
                guard fcntl(file, F_GETLK, &lock) == 0 else { return true }
                return lock.l_type != Int16(F_UNLCK) && lock.l_pid == processID
            }
        }
    }
}

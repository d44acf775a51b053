import Foundation
import Glibc
import ReveilleCore
import ReveilleRuntime
import ReveilleSQLite
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTesting
import Testing

@Suite("A failing disk loses nothing that was acknowledged", .temporaryDirectory)
struct FailureTests {
    private static let app = SQLiteStores.app

    private static func open(
        _ path: String, faults: FaultInjectingVFS? = nil, busyMilliseconds: Int32 = 5_000
    ) async throws -> SQLiteHomeStore {
        let key = try #require(SQLiteStores.key)
        var options = StoreOptions()
        options.faults = faults
        options.busyMilliseconds = busyMilliseconds
        let clock = ManualClock()
        return try await SQLiteHomeStore.open(
            path: path, masterKeys: MasterKeys(current: key), apps: AppRegistry([app]), options: options, clock: clock,
            steady: clock)
    }

    private static func path() throws -> String {
        try #require(TemporaryDirectory.current).file("store.db")
    }

    private static func producer(_ store: SQLiteHomeStore) async throws -> ProducerRow {
        if let found = try await store.producer(name: "producer") { return found }
        return try #require(try await store.createProducer(name: "producer"))
    }

    private static func post(_ producer: ProducerRow, title: String = "title") -> NotificationPost {
        NotificationPost(
            producer: producer, recipients: ["ann"], category: "mail", title: title, body: "", data: [], series: nil,
            alert: .visible, ttlSeconds: nil, idempotency: nil)
    }

    @Test("a store that does not open leaves no thread behind, whichever step fails")
    func noThreadIsLeft() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryDirectory.make()
            defer { folder.remove() }
            let faults = FaultInjectingVFS()
            var step = 0
            var failures = 0
            repeat {
                step += 1
                faults.fail(step: step)
                do {
                    await (try Self.open(folder.file("\(step).db"), faults: faults)).close()
                } catch {
                    failures += 1
                }
                let isOver = !faults.hasFailed
                faults.relent()
                if isOver { break }
            } while step < 2_000
            #expect(failures > 10)
            let tasks = "/proc/self/task"
            let threads = try FileManager.default.contentsOfDirectory(atPath: tasks).filter {
                (try? String(contentsOfFile: "\(tasks)/\($0)/comm", encoding: .utf8))?.hasPrefix("store-") ?? false
            }
            #expect(threads.isEmpty)
        }
    }

    @Test("each step that can fail fails once while a store is opened and made")
    func everyOpeningStepFailsOnce() async throws {
        let faults = FaultInjectingVFS()
        let folder = try #require(TemporaryDirectory.current)
        var step = 0
        var untouched = false
        while !untouched {
            step += 1
            try #require(step < 2_000)
            let path = folder.file("opening-\(step).db")
            faults.fail(step: step)
            let opened = try? await Self.open(path, faults: faults)
            untouched = !faults.hasFailed
            faults.relent()
            if let opened {
                #expect(try await opened.producers().isEmpty)
                await opened.close()
            }
            let again = try await Self.open(path, faults: faults)
            _ = try await Self.producer(again)
            await again.close()
        }
        #expect(step > 20)
    }

    @Test(
        "while the disk takes no writes nothing is acknowledged, and it works again when it does",
        arguments: [true, false])
    func refusedWrites(isFull: Bool) async throws {
        let faults = FaultInjectingVFS()
        let store = try await Self.open(try Self.path(), faults: faults)
        let producer = try await Self.producer(store)
        _ = try await store.accept(Self.post(producer, title: "before"))
        if isFull { faults.setFull(true) } else { faults.setReadOnly(true) }
        let expected = isFull ? StoreError.Code.full : .readOnly
        #expect(await SQLiteStores.code { _ = try await store.accept(Self.post(producer)) } == expected)
        #expect(await SQLiteStores.code { try await store.probeWrite() } == expected)
        let profile = try #require(try await store.existingProfile("ann", of: producer))
        #expect(try await store.deliveries(of: profile, before: nil, limit: 9).map(\.title) == ["before"])
        faults.setFull(false)
        _ = try await store.accept(Self.post(producer, title: "after"))
        #expect(try await store.deliveries(of: profile, before: nil, limit: 9).map(\.title) == ["after", "before"])
        await store.close()
    }

    @Test("a database that another process keeps locked is busy, and works again when the lock is gone")
    func lockedByAnother() async throws {
        let path = try Self.path()
        let store = try await Self.open(path, busyMilliseconds: 10)
        let producer = try await Self.producer(store)
        let other = try SQLiteConnection(path: path, access: .readWrite, busyMilliseconds: 0)
        try other.execute("BEGIN IMMEDIATE")
        let codes = await withTaskGroup(of: StoreError.Code?.self) { group in
            for _ in 0..<4 {
                group.addTask { await SQLiteStores.code { _ = try await store.accept(Self.post(producer)) } }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.allSatisfy { $0 == .busy })
        #expect(try await store.producers().count == 1)
        try other.execute("ROLLBACK")
        _ = try await store.accept(Self.post(producer))
        await store.close()
    }

    @Test("a damaged file is called corrupt, at the start and while it runs")
    func corruptFile() async throws {
        let path = try Self.path()
        let store = try await Self.open(path)
        let producer = try await Self.producer(store)
        for _ in 0..<50 { _ = try await store.accept(Self.post(producer)) }
        await store.close()
        let size = Self.overwrite(path, from: 4_096)
        #expect(size > 4_096)
        let damaged = await SQLiteStores.code {
            let store = try await Self.open(path)
            do {
                _ = try await store.accept(Self.post(producer))
            } catch {
                await store.close()
                throw error
            }
            await store.close()
        }
        #expect(damaged == .corrupt)
        _ = Self.overwrite(path, from: 0)
        #expect(await SQLiteStores.code { _ = try await Self.open(path) } == .corrupt)
    }

    /// Fills the file with noise from an offset on; returns its size.
    private static func overwrite(_ path: String, from offset: Int) -> Int {
        let file = Glibc.open(path, O_RDWR)
        defer { close(file) }
        let size = Int(lseek(file, 0, SEEK_END))
        let noise = [UInt8](repeating: 0x5A, count: max(0, size - offset))
        pwrite(file, noise, noise.count, offset)
        return size
    }

    @Test("a file that another program or a newer version wrote is refused and left as it is")
    func foreignFiles() async throws {
        let path = try Self.path()
        let store = try await Self.open(path)
        await store.close()
        try SQLiteConnection(path: path, access: .readWrite, busyMilliseconds: 0).execute("PRAGMA user_version = 99")
        #expect(await SQLiteStores.code { _ = try await Self.open(path) } == .newerSchema)
        let file = try SQLiteConnection(path: path, access: .readWrite, busyMilliseconds: 0)
        #expect(try file.integer("PRAGMA user_version") == 99)
        let foreign = path + ".foreign"
        try SQLiteConnection(path: foreign, access: .create, busyMilliseconds: 0).execute("CREATE TABLE t (i INTEGER)")
        #expect(await SQLiteStores.code { _ = try await Self.open(foreign) } == .cannotOpen)
    }

    @Test("a file in a folder that does not exist, or that is a folder, cannot be opened")
    func noFile() async throws {
        let folder = try #require(TemporaryDirectory.current)
        #expect(await SQLiteStores.code { _ = try await Self.open(folder.file("none/store.db")) } == .cannotOpen)
        let code = await SQLiteStores.code { _ = try await Self.open(folder.path) }
        #expect(code == .cannotOpen || code == .readOnly)
    }

    @Test(
        "a store that may not be written is called read-only",
        .enabled(if: geteuid() != 0, "root may write everywhere"))
    func readOnlyFile() async throws {
        let path = try Self.path()
        await (try await Self.open(path)).close()
        chmod(path, 0o400)
        #expect(await SQLiteStores.code { _ = try await Self.open(path) } == .readOnly)
    }

    @Test("more work than the queue takes is refused, and nothing of it happens")
    func overload() async throws {
        let path = try Self.path()
        let key = try #require(SQLiteStores.key)
        var options = StoreOptions()
        options.maximumQueuedOperations = 4
        options.busyMilliseconds = 30_000
        let store = try await SQLiteHomeStore.open(
            path: path, masterKeys: MasterKeys(current: key), apps: AppRegistry([Self.app]), options: options)
        let producer = try await Self.producer(store)
        let other = try SQLiteConnection(path: path, access: .readWrite, busyMilliseconds: 0)
        try other.execute("BEGIN IMMEDIATE")
        let ended = Probe<[StoreError.Code?]>([])
        let codes = try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    let code = await SQLiteStores.code { _ = try await store.accept(Self.post(producer)) }
                    ended.append(code)
                }
            }
            // Whoever is refused is refused at once; the others wait for the lock.
            try await ended.wait { $0.count >= 30 }
            try other.execute("ROLLBACK")
            try await group.waitForAll()
            return ended.value
        }
        let refused = codes.filter { $0 == .overloaded }.count
        #expect(refused >= 30 && codes.allSatisfy { $0 == nil || $0 == .overloaded })
        let profile = try #require(try await store.existingProfile("ann", of: producer))
        #expect(try await store.deliveries(of: profile, before: nil, limit: 99).count == 40 - refused)
        await store.close()
    }
}

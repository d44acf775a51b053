import Glibc
import ReveilleCore
import ReveilleSQLite
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTesting
import Testing

@Suite("A store whose file was emptied is not taken for a new one", .temporaryDirectory)
struct LostFileTests {
    /// What somebody may do to the file, while files beside it stay.
    enum Loss: CaseIterable {
        case truncated, removed, replacedByEmptyDatabase
    }

    private static func put(_ bytes: [UInt8], to path: String) {
        let file = Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        #expect(Glibc.write(file, bytes, bytes.count) == bytes.count)
        close(file)
    }

    private static func size(_ path: String) -> Int64? {
        var found = stat()
        return stat(path, &found) == 0 ? Int64(found.st_size) : nil
    }

    /// A database that holds nothing but the switch to the write-ahead log, as a start leaves it that was killed there.
    private static func makeEmptyDatabase(_ path: String) throws {
        let connection = try SQLiteConnection(path: path, access: .create, busyMilliseconds: 0)
        #expect(try connection.text("PRAGMA journal_mode = WAL") == "wal")
    }

    @Test("it refuses, and nothing is changed", arguments: Loss.allCases)
    func lost(loss: Loss) async throws {
        let path = try #require(TemporaryDirectory.current).file("store.db")
        await (try await SQLiteStores.open(path)).close()
        switch loss {
        case .truncated: #expect(truncate(path, 0) == 0)
        case .removed: #expect(unlink(path) == 0)
        case .replacedByEmptyDatabase:
            #expect(unlink(path) == 0)
            try Self.makeEmptyDatabase(path)
        }
        let size = Self.size(path)
        for _ in 0..<2 {
            #expect(await SQLiteStores.code { await (try await SQLiteStores.open(path)).close() } == .fileMissing)
            #expect(await SQLiteStores.code { _ = try SQLiteHomeStore.isEmpty(path: path) } == .fileMissing)
        }
        #expect(Self.size(path) == size)
    }

    @Test("a log with contents beside a file without any shows it too, and is kept")
    func logRemains() async throws {
        let path = try #require(TemporaryDirectory.current).file("store.db")
        Self.put([], to: path)
        Self.put([UInt8](repeating: 7, count: 8_192), to: path + "-wal")
        #expect(await SQLiteStores.code { await (try await SQLiteStores.open(path)).close() } == .fileMissing)
        #expect(Self.size(path + "-wal") == 8_192 && Self.size(path) == 0)
    }

    @Test("a file that is put back is opened")
    func putBack() async throws {
        let path = try #require(TemporaryDirectory.current).file("store.db")
        let store = try await SQLiteStores.open(path)
        _ = try await store.createProducer(name: "before")
        await store.close()
        #expect(rename(path, path + ".away") == 0)
        #expect(await SQLiteStores.code { await (try await SQLiteStores.open(path)).close() } == .fileMissing)
        #expect(rename(path + ".away", path) == 0)
        let again = try await SQLiteStores.open(path)
        #expect(try await again.producers().map(\.name) == ["before"])
        await again.close()
    }

    @Test("a start that was killed before its first commit goes on", arguments: 0..<3)
    func killedStart(step: Int) async throws {
        let path = try #require(TemporaryDirectory.current).file("store.db")
        if step == 1 { Self.put([], to: path) }
        if step == 2 { try Self.makeEmptyDatabase(path) }
        #expect(try SQLiteHomeStore.isEmpty(path: path))
        let store = try await SQLiteStores.open(path)
        #expect(try await store.createProducer(name: "first") != nil)
        await store.close()
    }
}

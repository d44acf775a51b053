import Glibc
import ReveilleCore
import ReveilleRuntime
import ReveilleSQLite
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTesting
import Testing

@Suite("A file that is not in its place any more is noticed", .temporaryDirectory)
struct MovedFileTests {
    /// Everything that belongs to a database, by what follows its name.
    private static let suffixes = ["", "-wal", "-shm"]

    private static func path() throws -> String {
        try #require(TemporaryDirectory.current).file("store.db")
    }

    private static func move(_ path: String, to other: String, _ suffixes: [String] = suffixes) {
        for suffix in suffixes { rename(path + suffix, other + suffix) }
    }

    @Test(
        "nothing is accepted while one of its files is elsewhere, and it goes on when it is back", arguments: suffixes)
    func movedAndBack(suffix: String) async throws {
        let path = try Self.path()
        let store = try await SQLiteStores.open(path)
        _ = try await store.createProducer(name: "before")
        Self.move(path, to: path + ".moved", [suffix])
        #expect(await SQLiteStores.code { _ = try await store.createProducer(name: "meanwhile") } == .fileMissing)
        #expect(await SQLiteStores.code { try await store.probeWrite() } == .fileMissing)
        #expect(await SQLiteStores.code { _ = try await store.producers() } == .fileMissing)
        #expect(access(path + suffix, F_OK) != 0, "it was made anew")
        Self.move(path + ".moved", to: path, [suffix])
        _ = try await store.createProducer(name: "after")
        await store.close()
        let again = try await SQLiteStores.open(path)
        #expect(try await again.producers().map(\.name) == ["before", "after"])
        await again.close()
    }

    @Test("a removed file takes no more writes")
    func removed() async throws {
        let path = try Self.path()
        let store = try await SQLiteStores.open(path)
        for suffix in Self.suffixes { unlink(path + suffix) }
        for _ in 0..<3 {
            #expect(await SQLiteStores.code { _ = try await store.createProducer(name: "lost") } == .fileMissing)
        }
        await store.close()
        #expect(access(path, F_OK) != 0)
    }

    @Test("another store in its place is neither written nor read, with or without the first one's other files")
    func replaced() async throws {
        let path = try Self.path()
        let other = path + ".other"
        let second = try await SQLiteStores.open(other)
        _ = try await second.createProducer(name: "the other's")
        await second.close()
        let store = try await SQLiteStores.open(path)
        _ = try await store.createProducer(name: "mine")
        _ = try await store.producers()
        // Only the database itself: the log and its index of the first one stay in place, and mapped.
        Self.move(path, to: path + ".moved", [""])
        Self.move(other, to: path, [""])
        for _ in 0..<8 {
            #expect(await SQLiteStores.code { _ = try await store.createProducer(name: "lost") } == .fileMissing)
            #expect(await SQLiteStores.code { _ = try await store.producers() } == .fileMissing)
        }
        Self.move(path, to: other, [""])
        Self.move(path + ".moved", to: path, [""])
        #expect(try await store.producers().map(\.name) == ["mine"])
        _ = try await store.createProducer(name: "mine too")
        await store.close()
        let untouched = try await SQLiteStores.open(other)
        #expect(try await untouched.producers().map(\.name) == ["the other's"])
        await untouched.close()
    }

    @Test("closing leaves a store alone that took its place")
    func closedBesideAnother() async throws {
        let path = try Self.path()
        let store = try await SQLiteStores.open(path)
        _ = try await store.createProducer(name: "mine")
        Self.move(path, to: path + ".moved", Self.suffixes + [".slots"])
        let second = try await SQLiteStores.open(path)
        _ = try await second.createProducer(name: "the other's")
        await store.close()
        for suffix in Self.suffixes { #expect(access(path + suffix, F_OK) == 0, "\(suffix)") }
        _ = try await second.createProducer(name: "the other's too")
        #expect(access(path + ".slots/1", F_OK) == 0, "its mark as a living process went")
        await second.close()
        let again = try await SQLiteStores.open(path)
        #expect(try await again.producers().map(\.name) == ["the other's", "the other's too"])
        await again.close()
    }

    @Test("shared memory that somebody cut is not touched any more")
    func cutIndex() async throws {
        let path = try Self.path()
        let store = try await SQLiteStores.open(path)
        _ = try await store.createProducer(name: "before")
        let index = Glibc.open(path + "-shm", O_RDWR)
        defer { Glibc.close(index) }
        var size = stat()
        try #require(fstat(index, &size) == 0)
        var whole = [UInt8](repeating: 0, count: Int(size.st_size))
        try #require(pread(index, &whole, whole.count, 0) == whole.count)
        try #require(ftruncate(index, 0) == 0)
        #expect(await SQLiteStores.code { _ = try await store.createProducer(name: "lost") } == .fileMissing)
        #expect(await SQLiteStores.code { _ = try await store.producers() } == .fileMissing)
        try #require(pwrite(index, whole, whole.count, 0) == whole.count)
        _ = try await store.createProducer(name: "after")
        await store.close()
    }
}

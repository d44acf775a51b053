import Glibc
import ReveilleCore
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTelemetry
import ReveilleTesting
import Testing

/// A disk of four megabytes in memory, for who may mount one.
private struct SmallDisk {
    /// Whether this process may mount file systems: what only tries would leave it behind.
    static let isPossible: Bool = {
        guard let place = try? TemporaryDirectory.make() else { return false }
        defer { place.remove() }
        guard mount("none", place.path, "tmpfs", 0, "size=64k") == 0 else { return false }
        umount(place.path)
        return true
    }()

    let folder: String

    init() throws {
        folder = try #require(TemporaryDirectory.current).file("disk")
        mkdir(folder, 0o700)
        try #require(mount("none", folder, "tmpfs", 0, "size=4m") == 0)
    }

    /// The path of a store on it.
    var store: String { folder + "/store.db" }

    /// Takes all room but some pages; returns the file that holds it.
    func fill(leaving pages: Int) -> String {
        let path = folder + "/ballast"
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        defer { close(file) }
        let page = [UInt8](repeating: 1, count: 4_096)
        var size = 0
        while write(file, page, page.count) == page.count { size += page.count }
        ftruncate(file, max(0, size - pages * page.count))
        return path
    }

    func unmount() { umount(folder) }
}

@Suite(
    "A disk that is full is called so", .temporaryDirectory,
    .enabled(if: SmallDisk.isPossible, "this user may not mount a small disk"))
struct FullDiskTests {
    @Test(
        "at the start, whichever file finds no room, and it starts when there is some", arguments: [0, 1, 2, 4, 8, 16])
    func start(pages: Int) async throws {
        let disk = try SmallDisk()
        defer { disk.unmount() }
        let ballast = disk.fill(leaving: pages)
        #expect(await SQLiteStores.code { await (try await SQLiteStores.open(disk.store)).close() } == .full)
        unlink(ballast)
        let store = try await SQLiteStores.open(disk.store)
        try await store.probeWrite()
        await store.close()
    }

    @Test("while it runs, and the next write works when there is room again")
    func running() async throws {
        let disk = try SmallDisk()
        defer { disk.unmount() }
        let store = try await SQLiteStores.open(disk.store)
        let producer = try #require(try await store.createProducer(name: "producer"))
        let ballast = disk.fill(leaving: 0)
        var code: StoreError.Code?
        for _ in 0..<1_000 where code == nil { code = await SQLiteStores.code { try await store.probeWrite() } }
        #expect(code == .full)
        #expect(try await store.producer(name: "producer") == producer)
        unlink(ballast)
        try await store.probeWrite()
        await store.close()
    }

    @Test("a probe that succeeds means that a post finds room, however little there is", arguments: 0..<24)
    func probe(pages: Int) async throws {
        let disk = try SmallDisk()
        defer { disk.unmount() }
        let store = try await SQLiteStores.open(disk.store)
        let producer = try #require(try await store.createProducer(name: "producer"))
        _ = disk.fill(leaving: pages * 4)
        // As often as somebody who watches asks, until the room is used up.
        for number in 0..<100 {
            guard await SQLiteStores.code({ try await store.probeWrite() }) == nil else { break }
            let post = Self.post(producer, number, octets: 32_000)
            #expect(await SQLiteStores.code { _ = try await store.accept(post) } == nil, "post \(number)")
        }
        await store.close()
    }

    @Test("on a small disk the log is copied before it takes the room that copying needs")
    func smallDisk() async throws {
        let disk = try SmallDisk()
        defer { disk.unmount() }
        let store = try await SQLiteStores.open(disk.store)
        let producer = try #require(try await store.createProducer(name: "producer"))
        // Contents of half a megabyte, and a log of many times that.
        for number in 0..<400 {
            let code = await SQLiteStores.code {
                _ = try await store.accept(Self.post(producer, number, octets: 1_000))
            }
            #expect(code == nil, "post \(number)")
        }
        await store.close()
    }

    @Test("while the disk stays full the log says so once, whatever small things still find room")
    func saidOnce() async throws {
        let disk = try SmallDisk()
        defer { disk.unmount() }
        let lines = MemorySink()
        let store = try await SQLiteStores.open(
            disk.store, log: Log(level: .debug, sink: lines, component: "store"))
        let producer = try #require(try await store.createProducer(name: "producer"))
        let ballast = disk.fill(leaving: 30)
        var small = 0
        for number in 0..<20 {
            #expect(
                await SQLiteStores.code { _ = try await store.accept(Self.post(producer, number, octets: 120_000)) }
                    == .full)
            if await SQLiteStores.code({ _ = try await store.createProducer(name: "small-\(number)") }) == nil {
                small += 1
            }
        }
        #expect(small > 0)
        let said = { (word: String) in lines.lines.filter { "\($0.message)" == word }.count }
        #expect(said("a transaction failed") == 1)
        #expect(said("the store takes writes again") == 0)
        unlink(ballast)
        _ = try await store.accept(Self.post(producer, 20, octets: 120_000))
        #expect(said("the store takes writes again") == 1)
        await store.close()
    }

    private static func post(_ producer: ProducerRow, _ number: Int, octets: Int) -> NotificationPost {
        NotificationPost(
            producer: producer, recipients: ["anna"], category: "mail", title: "the title \(number)",
            body: String(repeating: "b", count: octets), data: [], series: nil, alert: .visible, ttlSeconds: nil,
            idempotency: nil)
    }

    @Test("what a probe set aside is given back when the store is closed, and a full disk fails it until there is room")
    func probeAgain() async throws {
        let disk = try SmallDisk()
        defer { disk.unmount() }
        let store = try await SQLiteStores.open(disk.store)
        for _ in 0..<20 { try await store.probeWrite() }
        let ballast = disk.fill(leaving: 0)
        #expect(await SQLiteStores.code { for _ in 0..<2 { try await store.probeWrite() } } == .full)
        unlink(ballast)
        try await store.probeWrite()
        await store.close()
        var system = statvfs()
        #expect(statvfs(disk.folder, &system) == 0)
        #expect(system.f_bavail > 500)
    }
}

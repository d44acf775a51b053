import Glibc
import ReveilleCore
import ReveilleSQLite
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTesting
import Testing

@Suite("After an older copy of the file was put back, clients start over where they must", .temporaryDirectory)
struct RestoreTests {
    /// One profile with a store that can be stopped, copied and put back.
    private final class Place {
        let path: String
        private(set) var store: SQLiteHomeStore
        private(set) var profile = ProfileRow(0)
        private(set) var device = DeviceRow(0)
        private var producer = ProducerRow(0)

        init() async throws {
            path = try #require(TemporaryDirectory.current).file("store.db")
            store = try await Self.open(path)
            producer = try #require(try await store.createProducer(name: "mail"))
            profile = try await store.profile("ann", of: producer)
            let registration = DeviceRegistration(
                profile: profile, signedInAtMilliseconds: 1_000, credential: nil, app: SQLiteStores.app,
                topic: SQLiteStores.app.identifier, lane: .apns(.production),
                address: .apns(try DeviceToken(octets: [UInt8](repeating: 1, count: 32))), installID: "install",
                installationKey: nil, generation: nil, os: .iOS, name: .absent, appVersion: nil, locale: nil,
                pushMode: nil, categories: .absent, idempotencyKey: nil, verificationCode: nil)
            guard case .created(let device) = try await store.register(registration) else {
                throw StoreError(.programming)
            }
            self.device = device.row
        }

        private static func open(_ path: String) async throws -> SQLiteHomeStore {
            // Each start has randomness of its own, as in life.
            try await SQLiteHomeStore.open(
                path: path, masterKeys: MasterKeys(current: try #require(SQLiteStores.key)),
                apps: AppRegistry([SQLiteStores.app]))
        }

        func deliver(_ count: Int) async throws {
            for _ in 0..<count {
                let post = NotificationPost(
                    producer: producer, recipients: ["ann"], category: "mail", title: "title", body: "body", data: [],
                    series: nil, alert: .visible, ttlSeconds: nil, idempotency: nil)
                guard case .accepted = try await store.accept(post) else { throw StoreError(.programming) }
            }
        }

        /// The cursor of a client that has fetched all there is.
        func newestCursor() async throws -> Cursor {
            guard case .page(_, let next, _, _, _) = try await store.changes(of: profile, since: nil, limit: 1) else {
                throw StoreError(.programming)
            }
            return next
        }

        /// One more device of the profile.
        func registerAnother() async throws -> Device {
            let registration = DeviceRegistration(
                profile: profile, signedInAtMilliseconds: 1_000, credential: nil, app: SQLiteStores.app,
                topic: SQLiteStores.app.identifier, lane: .apns(.production),
                address: .apns(try DeviceToken(octets: [UInt8](repeating: 2, count: 32))), installID: "another",
                installationKey: nil, generation: nil, os: .iOS, name: .absent, appVersion: nil, locale: nil,
                pushMode: nil, categories: .absent, idempotencyKey: nil, verificationCode: nil)
            guard case .created(let device) = try await store.register(registration) else {
                throw StoreError(.programming)
            }
            return device
        }

        /// How many changes come after a cursor; nil when it is gone.
        func changes(after cursor: Cursor) async throws -> Int? {
            switch try await store.changes(of: profile, since: cursor, limit: 100) {
            case .page(let changes, _, _, _, let isReset): isReset ? nil : changes.count
            case .cursorGone: nil
            }
        }

        func unsettled() async throws -> Int { try await store.unsettledWakes(of: device).count }

        /// Puts a copy beside the file; nothing is written meanwhile.
        func copy() throws {
            for suffix in ["", "-wal"] { try Self.copy(path + suffix, to: path + ".copy" + suffix) }
        }

        func restart() async throws {
            await store.close()
            store = try await Self.open(path)
        }

        /// As the operators' page says: stop, put the copy in place, start.
        func restore() async throws {
            await store.close()
            for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
            for suffix in ["", "-wal"] { try Self.copy(path + ".copy" + suffix, to: path + suffix) }
            store = try await Self.open(path)
        }

        private static func copy(_ path: String, to other: String) throws {
            unlink(other)
            guard let file = fopen(path, "r") else { return }
            defer { fclose(file) }
            let copy = try #require(fopen(other, "w"))
            defer { fclose(copy) }
            var piece = [UInt8](repeating: 0, count: 1 << 16)
            while case let count = fread(&piece, 1, piece.count, file), count > 0 {
                try #require(fwrite(piece, 1, count, copy) == count)
            }
        }
    }

    @Test(
        "a cursor of what the copy lacks is gone at once and stays so, one of what it has goes on",
        arguments: [true, false])
    func cursors(isCopiedWhileRunning: Bool) async throws {
        let place = try await Place()
        try await place.deliver(2)
        if !isCopiedWhileRunning { try await place.restart() }
        let kept = try await place.newestCursor()
        try place.copy()
        try await place.deliver(3)
        let lost = try await place.newestCursor()
        #expect(try await place.changes(after: kept) == 3)
        try await place.restore()
        #expect(try await place.changes(after: kept) == 0)
        for total in 1...6 {
            #expect(try await place.changes(after: lost) == nil, "after \(total - 1) further changes")
            try await place.deliver(1)
            #expect(try await place.changes(after: kept) == total)
        }
        #expect(try await place.changes(after: try await place.newestCursor()) == 0)
        // It says nothing about what was fetched, either.
        let waiting = try await place.unsettled()
        try await place.store.acknowledge(lost, by: place.device)
        #expect(try await place.unsettled() == waiting && waiting > 0)
        #expect(try await place.store.epoch(of: lost.change) != lost.epoch)
        await place.store.close()
    }

    @Test("the same copy put back twice undoes two histories")
    func twice() async throws {
        let place = try await Place()
        try await place.deliver(1)
        try place.copy()
        var lost: [Cursor] = []
        for _ in 0..<3 {
            try await place.deliver(2)
            lost.append(try await place.newestCursor())
            try await place.restore()
        }
        try await place.deliver(4)
        for cursor in lost { #expect(try await place.changes(after: cursor) == nil) }
        await place.store.close()
    }

    @Test("a start without a restore leaves every cursor good, also that of an empty inbox")
    func restarts() async throws {
        let place = try await Place()
        var cursors = [try await place.newestCursor()]
        for _ in 0..<4 {
            try await place.deliver(2)
            cursors.append(try await place.newestCursor())
            try await place.restart()
        }
        for (index, cursor) in cursors.enumerated() {
            #expect(try await place.changes(after: cursor) == 2 * (4 - index))
        }
        await place.store.close()
    }

    @Test("no number of the undone history is given again, and no display token opens what is another's now")
    func numbers() async throws {
        let place = try await Place()
        try await place.deliver(1)
        await place.store.close()
        try await place.restart()
        try place.copy()
        func given() async throws -> [Int64] {
            try await place.deliver(3)
            let device = try await place.registerAnother()
            let wakes = try await place.store.wakes(after: nil, state: nil, limit: 99).map(\.row.number)
            let deliveries = try await place.store.deliveries(of: place.profile, before: nil, limit: 9)
            return wakes.suffix(3) + deliveries.prefix(3).flatMap { [$0.row.number, $0.notification.number] }
                + [device.row.number, device.generation]
        }
        let lost = try await given()
        try await place.restore()
        let present = try await given()
        #expect(lost.count == present.count && zip(lost, present).allSatisfy { $0 != $1 })
        await place.store.close()
    }

    @Test("every start goes far ahead, and a new store begins at one")
    func starts() async throws {
        let place = try await Place()
        try await place.deliver(1)
        var last: Int64 = 0
        for start in 0..<4 {
            let row = try #require(try await place.store.deliveries(of: place.profile, before: nil, limit: 1).first).row
                .number
            #expect(start == 0 ? row == 1 : row - last > 1 << 32 && row - last < 3 << 32)
            last = row
            try await place.restart()
            try await place.deliver(1)
        }
        await place.store.close()
    }

    @Test("cursors of a file from before epochs were told apart stay good")
    func olderFile() async throws {
        let place = try await Place()
        try await place.deliver(3)
        await place.store.close()
        let file = try SQLiteConnection(path: place.path, access: .readWrite, busyMilliseconds: 0)
        try SQLiteStores.takeBack(file, to: 1)
        _ = try file.checkpoint()
        let old = Cursor(profile: place.profile, epoch: try file.integer("SELECT epoch FROM meta"), change: 2)
        try await place.restart()
        #expect(try await place.changes(after: old) == 1)
        try await place.deliver(1)
        #expect(try await place.changes(after: old) == 2)
        await place.store.close()
    }
}

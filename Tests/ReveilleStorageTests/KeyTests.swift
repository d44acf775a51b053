import Glibc
import ReveilleBytes
import ReveilleCore
import ReveilleRuntime
import ReveilleSQLite
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTesting
import Testing

@Suite("Values are sealed under the operator's key", .temporaryDirectory)
struct KeyTests {
    private static let app = SQLiteStores.app

    private static func key(_ octet: UInt8) throws -> MasterKey {
        try #require(MasterKey(SecretBytes([UInt8](repeating: octet, count: MasterKey.octets))))
    }

    private static func open(
        _ keys: MasterKeys, rereading file: Locked<MasterKeys?>? = nil,
        introducing: StoreOptions.KeyIntroduction = .always
    ) async throws -> SQLiteHomeStore {
        let path = try #require(TemporaryDirectory.current).file("store.db")
        var options = StoreOptions()
        options.keyIntroduction = introducing
        if let file { options.rereadMasterKeys = { file.withLock { $0 } } }
        return try await SQLiteHomeStore.open(path: path, masterKeys: keys, apps: AppRegistry([app]), options: options)
    }

    private static func mismatch(_ keys: MasterKeys) async throws -> StoreError.KeyMismatch? {
        do {
            await (try await open(keys)).close()
            return nil
        } catch let error as StoreError {
            #expect(error.code == .wrongKey)
            return error.keys
        }
    }

    private static func post(
        _ store: SQLiteHomeStore, _ producer: ProducerRow, title: String
    ) async throws -> DeliveryRow {
        let result = try await store.accept(
            NotificationPost(
                producer: producer, recipients: ["ann"], category: "mail", title: title, body: "", data: [],
                series: nil, alert: .visible, ttlSeconds: nil, idempotency: nil))
        guard case .accepted(let accepted) = result else { throw StoreError(.programming) }
        return try #require(accepted.deliveries.first)
    }

    private static func leaseOne(_ store: SQLiteHomeStore) async throws -> LeasedWake? {
        try await store.lease(
            SQLiteStores.lane, limit: 1, lease: Lease(token: 1, untilMilliseconds: .max), onlyTopic: nil,
            excludingTopics: []
        ).first
    }

    /// A device and a delivery, so that there is something sealed.
    private static func fill(_ store: SQLiteHomeStore) async throws -> (ProfileRow, DeviceRow, DeliveryRow) {
        let producer = try #require(try await store.createProducer(name: "producer"))
        let profile = try await store.profile("ann", of: producer)
        let registration = DeviceRegistration(
            profile: profile, signedInAtMilliseconds: 1, credential: nil, app: app, topic: app.identifier,
            lane: .apns(.production), address: .apns(try DeviceToken(octets: [7, 7])), installID: "install",
            installationKey: nil,
            generation: nil, os: .iOS, name: .value("the phone"), appVersion: nil, locale: nil, pushMode: nil,
            categories: .value(["mail"]), idempotencyKey: nil, verificationCode: nil)
        guard case .created(let device) = try await store.register(registration) else { throw StoreError(.programming) }
        let result = try await store.accept(
            NotificationPost(
                producer: producer, recipients: ["ann"], category: "mail", title: "canary-title", body: "canary-body",
                data: [], series: "canary-series", alert: .visible, ttlSeconds: nil, idempotency: nil))
        guard case .accepted(let accepted) = result else { throw StoreError(.programming) }
        return (profile, device.row, try #require(accepted.deliveries.first))
    }

    @Test("a store opens with its own key only, and the refusal names both")
    func wrongKey() async throws {
        let right = try Self.key(1)
        let wrong = try Self.key(2)
        await (try await Self.open(MasterKeys(current: right))).close()
        let mismatch = try #require(try await Self.mismatch(MasterKeys(current: wrong)))
        #expect(mismatch.needed == [right.checkValue] && mismatch.given == [wrong.checkValue])
        #expect(right.checkValue != wrong.checkValue && right.checkValue.utf8.count == 16)
        #expect(try await Self.mismatch(MasterKeys(current: right)) == nil)
    }

    @Test("only a missing or empty file asks for a new key")
    func emptyFiles() async throws {
        let folder = try #require(TemporaryDirectory.current)
        #expect(try SQLiteHomeStore.isEmpty(path: folder.file("store.db")))
        await (try await Self.open(MasterKeys(current: try Self.key(1)))).close()
        #expect(try SQLiteHomeStore.isEmpty(path: folder.file("store.db")) == false)
    }

    @Test("after a rotation everything still opens, is sealed anew piece by piece, and the former key is let go")
    func rotation() async throws {
        let former = try Self.key(1)
        let present = try Self.key(2)
        let first = try await Self.open(MasterKeys(current: former))
        let (profile, device, delivery) = try await Self.fill(first)
        let serverDeviceID = first.secrets.publicIDs.serverDeviceID(of: device)
        await first.close()
        let both = MasterKeys(current: present, former: [former])
        let second = try await Self.open(both)
        #expect(try await second.delivery(delivery, of: profile)?.title == "canary-title")
        #expect(second.secrets.publicIDs.serverDeviceID(of: device) == serverDeviceID)
        await second.close()
        // Until all is sealed anew the former key is needed.
        #expect(try await Self.mismatch(MasterKeys(current: present)) != nil)
        let third = try await Self.open(both)
        var resealed = 0
        while true {
            let count = try await third.reseal(limit: 1)
            resealed += count
            if count == 0 { break }
        }
        #expect(resealed == 2)
        #expect(try await third.device(device)?.name == "the phone")
        #expect(try await third.device(device)?.categories == ["mail"])
        await third.close()
        let fourth = try await Self.open(MasterKeys(current: present))
        #expect(try await fourth.delivery(delivery, of: profile)?.body == "canary-body")
        #expect(fourth.secrets.publicIDs.serverDeviceID(of: device) == serverDeviceID)
        await fourth.close()
        #expect(try await Self.mismatch(MasterKeys(current: former)) != nil)
    }

    @Test(
        "a process whose key file is behind stops writing once another rotated the key, and goes on when the file is right"
    )
    func rotationBesideARunningProcess() async throws {
        let former = try Self.key(1)
        let both = MasterKeys(current: try Self.key(2), former: [former])
        let file = Locked<MasterKeys?>(MasterKeys(current: former))
        let old = try await Self.open(MasterKeys(current: former), rereading: file)
        let producer = try #require(try await old.createProducer(name: "producer"))
        let new = try await Self.open(both)
        for contents in [MasterKeys(current: former), MasterKeys(current: try Self.key(3)), nil] {
            file.withLock { $0 = contents }
            #expect(await SQLiteStores.code { _ = try await old.createProducer(name: "another") } == .keyRotated)
            #expect(await SQLiteStores.code { try await old.probeWrite() } == .keyRotated)
        }
        #expect(try await new.producer(name: "producer") == producer)
        file.withLock { $0 = both }
        try await old.probeWrite()
        #expect(old.masterKeyCheckValue == both.current.checkValue)
        await old.close()
        await new.close()
    }

    @Test("a process without a file to read again stops writing after a rotation, and says why")
    func rotationWithoutAFile() async throws {
        let former = try Self.key(1)
        let old = try await Self.open(MasterKeys(current: former))
        let new = try await Self.open(MasterKeys(current: try Self.key(2), former: [former]))
        #expect(await SQLiteStores.code { try await old.probeWrite() } == .keyRotated)
        await new.close()
        await old.close()
    }

    @Test("after another process rotated the key, reading and writing go on with both keys' values")
    func rotationIsFollowed() async throws {
        let former = try Self.key(1)
        let both = MasterKeys(current: try Self.key(2), former: [former])
        let file = Locked<MasterKeys?>(MasterKeys(current: former))
        let old = try await Self.open(MasterKeys(current: former), rereading: file)
        let (profile, device, before) = try await Self.fill(old)
        file.withLock { $0 = both }
        let new = try await Self.open(both)
        let producer = try #require(try await new.producer(name: "producer"))
        let after = try await Self.post(new, producer, title: "sealed under the new key")
        // A reader meets the new key first, before any write of this process.
        #expect(try await old.delivery(after, of: profile)?.title == "sealed under the new key")
        #expect(try await old.delivery(before, of: profile)?.title == "canary-title")
        let mine = try await Self.post(old, producer, title: "from the first process")
        #expect(try await new.delivery(mine, of: profile)?.title == "from the first process")
        // Device tokens are opened by a vault of their own.
        let wake = try #require(try await Self.leaseOne(old))
        #expect(try old.vault.open(wake.sealedToken, device: device).octets == [7, 7])
        while try await old.reseal(limit: 10) > 0 {}
        await old.close()
        await new.close()
        // What the first process wrote after the rotation needs the former key no more.
        #expect(try await Self.mismatch(MasterKeys(current: both.current)) == nil)
    }

    @Test("a new key in the file becomes the store's when the process looks, secrets of first use included")
    func keyFileIsFollowed() async throws {
        let former = try Self.key(1)
        let both = MasterKeys(current: try Self.key(2), former: [former])
        let file = Locked<MasterKeys?>(MasterKeys(current: former))
        let store = try await Self.open(MasterKeys(current: former), rereading: file)
        let (profile, _, delivery) = try await Self.fill(store)
        #expect(try await store.followMasterKeys() == nil)
        file.withLock { $0 = nil }
        #expect(try await store.followMasterKeys() == nil)
        file.withLock { $0 = MasterKeys(current: both.current) }
        #expect(await SQLiteStores.code { _ = try await store.followMasterKeys() } == .wrongKey)
        try await store.probeWrite()
        file.withLock { $0 = both }
        #expect(try await store.followMasterKeys() == both.current.checkValue)
        #expect(store.masterKeyCheckValue == both.current.checkValue)
        #expect(try await store.followMasterKeys() == nil)
        while try await store.reseal(limit: 10) > 0 {}
        #expect(try await store.delivery(delivery, of: profile)?.title == "canary-title")
        await store.close()
        #expect(try await Self.mismatch(MasterKeys(current: both.current)) == nil)
    }

    @Test("who must not introduce a key beside others works with the present one, and takes the new one when alone")
    func introduction() async throws {
        let former = try Self.key(1)
        let both = MasterKeys(current: try Self.key(2), former: [former])
        let running = try await Self.open(MasterKeys(current: former))
        let command = try await Self.open(both, introducing: .whenAlone)
        #expect(command.masterKeyCheckValue == former.checkValue)
        _ = try await command.createProducer(name: "made beside")
        await command.close()
        try await running.probeWrite()
        await running.close()
        let alone = try await Self.open(both, introducing: .whenAlone)
        #expect(alone.masterKeyCheckValue == both.current.checkValue)
        await alone.close()
    }

    @Test("nothing private stands in the files")
    func filesAreSealed() async throws {
        let folder = try #require(TemporaryDirectory.current)
        let store = try await Self.open(MasterKeys(current: try Self.key(1)))
        _ = try await Self.fill(store)
        let made = try await store.createToken(.admin, scopes: [], label: "label")
        var octets: [UInt8] = []
        for suffix in ["", "-wal"] { octets += try Self.contents(folder.file("store.db") + suffix) }
        let text = String(decoding: octets, as: UTF8.self)
        for canary in ["canary-title", "canary-body", "canary-series", "the phone", String(made.token.dropFirst(4))] {
            #expect(!text.contains(canary), "\(canary)")
        }
        #expect(text.contains("producer"))
        await store.close()
    }

    private static func contents(_ path: String) throws -> [UInt8] {
        let file = try #require(fopen(path, "r"))
        defer { fclose(file) }
        var octets = [UInt8](repeating: 0, count: 8_000_000)
        let count = fread(&octets, 1, octets.count, file)
        return Array(octets.prefix(count))
    }
}

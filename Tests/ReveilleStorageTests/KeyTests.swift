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
    private static let app = StoreScenario.app

    private static func key(_ octet: UInt8) throws -> MasterKey {
        try #require(MasterKey(SecretBytes([UInt8](repeating: octet, count: MasterKey.octets))))
    }

    private static func open(_ keys: MasterKeys) async throws -> SQLiteHomeStore {
        let path = try #require(TemporaryDirectory.current).file("store.db")
        return try await SQLiteHomeStore.open(path: path, masterKeys: keys, apps: AppRegistry([app]))
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

    /// A device and a delivery, so that there is something sealed.
    private static func fill(_ store: SQLiteHomeStore) async throws -> (ProfileRow, DeviceRow, DeliveryRow) {
        let producer = try #require(try await store.createProducer(name: "producer"))
        let profile = try await store.profile("ann", of: producer)
        let registration = AppleRegistration(
            profile: profile, signedInAtMilliseconds: 1, credential: nil, app: app, topic: app.identifier,
            environment: .production, token: try DeviceToken(octets: [7, 7]), installID: "install",
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

    @Test("a process that still has the former key stops writing once another rotated it")
    func rotationBesideARunningProcess() async throws {
        let former = try Self.key(1)
        let old = try await Self.open(MasterKeys(current: former))
        let producer = try #require(try await old.createProducer(name: "producer"))
        let new = try await Self.open(MasterKeys(current: try Self.key(2), former: [former]))
        do {
            _ = try await old.createProducer(name: "another")
            Issue.record("the former key sealed something")
        } catch {
            #expect(error.code == .wrongKey)
        }
        #expect(try await new.producer(name: "producer") == producer)
        await old.close()
        await new.close()
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

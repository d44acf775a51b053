import ReveilleCore
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTesting
import Testing

@Suite("A provider that is switched off gets no wakes", .temporaryDirectory)
struct ProvidersOffTests {
    @Test("its devices keep their inbox, and are woken for what comes after it was switched on")
    func off() async throws {
        let path = try #require(TemporaryDirectory.current).file("store.db")
        var options = StoreOptions()
        options.providersOff = [.fcm]
        var store = try await SQLiteStores.open(path, options: options)
        let producer = try #require(try await store.createProducer(name: "mail"))
        let ann = try await store.profile("ann", of: producer)
        let apple = try await Self.device(
            store, ann, "phone", .apns(.production), .apns(try DeviceToken(octets: [1, 2, 3])))
        let android = try await Self.device(
            store, ann, "android", .fcm, .fcm(try FCMTarget(.token, parsing: "cAbC-_09:APA91b")))
        try await Self.post(producer, to: store)
        #expect(try await store.unsettledWakes(of: apple).count == 1)
        #expect(try await store.unsettledWakes(of: android).isEmpty)
        #expect(try await store.deliveries(of: ann, before: nil, limit: 9).count == 1)
        await store.close()
        store = try await SQLiteStores.open(path)
        try await Self.post(producer, to: store)
        #expect(try await store.unsettledWakes(of: android).count == 1)
        await store.close()
    }

    private static func device(
        _ store: SQLiteHomeStore, _ profile: ProfileRow, _ name: String, _ lane: LaneKey, _ address: DeviceAddress
    ) async throws -> DeviceRow {
        let result = try await store.register(
            DeviceRegistration(
                profile: profile, signedInAtMilliseconds: 1, credential: nil, app: SQLiteStores.app,
                topic: SQLiteStores.app.identifier, lane: lane, address: address, installID: name, installationKey: nil,
                generation: nil, os: lane == .fcm ? .android : .iOS, name: .absent, appVersion: nil, locale: nil,
                pushMode: nil, categories: .absent, idempotencyKey: nil, verificationCode: nil))
        guard case .created(let device) = result else { throw StoreError(.programming) }
        return device.row
    }

    private static func post(_ producer: ProducerRow, to store: SQLiteHomeStore) async throws {
        let post = NotificationPost(
            producer: producer, recipients: ["ann"], category: "mail", title: "title", body: "body", data: [],
            series: nil, alert: .visible, ttlSeconds: nil, idempotency: nil)
        guard case .accepted = try await store.accept(post) else { throw StoreError(.programming) }
    }
}

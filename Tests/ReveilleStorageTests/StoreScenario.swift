import ReveilleCore
import ReveilleRuntime
import ReveilleSQLite
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTesting
import StorageConformance
import Testing

/// A life of a store in a few acts, told again and again while the disk fails at another step each time.
///
/// Whatever is acknowledged is remembered; ``check(_:)`` then looks for it with an undisturbed store.
actor StoreScenario {
    static let app = App(identifier: "org.example.app", topics: ["org.example.app"], shape: .reveille)
    static let lane = LaneKey(provider: .apns, environment: .production)

    /// What the store said it did.
    private var accepted: [String: AcceptedNotification] = [:]
    private var devices: [String: DeviceRow] = [:]
    private var removed: Set<DeviceRow> = []
    private var settled: Set<WakeRow> = []
    private var leased: Set<WakeRow> = []
    private var read: [(DeliveryRow, ProfileRow)] = []
    /// What it said it did not do, or did not say.
    private var refused: Set<String> = []
    private var round = 0

    /// Plays once; stops at the first refusal, as a caller would who gives up.
    func play(_ store: SQLiteHomeStore, producer: ProducerRow) async {
        round += 1
        let name = "user-\(round)"
        let key = "key-\(round)"
        do throws(StoreError) {
            let profile = try await store.profile(name, of: producer)
            let device = try await register(store, profile, install: "install-\(round)")
            devices[name] = device
            let notification = try await post(store, producer, [name, "other-\(round)"], key: key)
            for wake in try await lease(store) {
                leased.insert(wake.wake)
                let ended = EndedTry(
                    wake: wake.wake, leaseToken: wake.lease.token, outcome: .accepted, status: 200,
                    endedAtMilliseconds: 1_800_000_000_000)
                _ = try await store.settle(Self.lane, [ended])
                settled.insert(wake.wake)
            }
            _ = try await post(store, producer, [name], key: key + "b")
            _ = try await store.markRead(notification.deliveries[0], of: profile)
            read.append((notification.deliveries[0], profile))
            _ = try await store.remove(device, of: profile)
            removed.insert(device)
        } catch {
            #expect(error.code != .corrupt && error.code != .programming || round > 0)
        }
    }

    private func register(
        _ store: SQLiteHomeStore, _ profile: ProfileRow, install: String
    ) async throws(StoreError) -> DeviceRow {
        var octets = [UInt8](repeating: 1, count: 32)
        octets[0] = UInt8(truncatingIfNeeded: round)
        octets[1] = UInt8(truncatingIfNeeded: round >> 8)
        guard let token = try? DeviceToken(octets: octets) else { throw StoreError(.programming) }
        let result = try await store.register(
            AppleRegistration(
                profile: profile, signedInAtMilliseconds: 1, credential: nil, app: Self.app, topic: Self.app.identifier,
                environment: .production, token: token, installID: install, installationKey: nil, generation: nil,
                os: .iOS, name: .value("name"), appVersion: nil, locale: nil, pushMode: nil, categories: .absent,
                idempotencyKey: nil, verificationCode: nil))
        guard case .created(let device) = result else { throw StoreError(.programming) }
        return device.row
    }

    private func post(
        _ store: SQLiteHomeStore, _ producer: ProducerRow, _ recipients: [String], key: String
    ) async throws(StoreError) -> AcceptedNotification {
        refused.insert(key)
        let result = try await store.accept(
            NotificationPost(
                producer: producer, recipients: recipients, category: "mail", title: "title", body: key, data: [],
                series: nil, alert: .visible, ttlSeconds: nil, idempotency: Idempotency(key: key, fingerprint: [1])))
        guard case .accepted(let notification) = result else { throw StoreError(.programming) }
        refused.remove(key)
        accepted[key] = notification
        return notification
    }

    private func lease(_ store: SQLiteHomeStore) async throws(StoreError) -> [LeasedWake] {
        let lease = Lease(token: Int64(round), untilMilliseconds: 2_000_000)
        return try await store.lease(Self.lane, limit: 100, lease: lease, onlyTopic: nil, excludingTopics: [])
    }

    /// Everything acknowledged is there; everything else is wholly there or wholly absent.
    func check(_ store: SQLiteHomeStore, producer: ProducerRow) async throws {
        for (key, notification) in accepted {
            // The key answers with the very rows, so nothing of them is missing.
            let again = try await replay(store, producer, key, recipients: notification.deliveries.count)
            #expect(again == .replayed(notification), "\(key)")
        }
        for key in refused {
            let recipients = key.hasSuffix("b") ? 1 : 2
            let result = try await replay(store, producer, key, recipients: recipients)
            guard case .replayed(let notification) = result else { continue }
            #expect(notification.deliveries.count == recipients, "\(key)")
        }
        refused = []
        for wake in settled { #expect(try await store.wake(wake)?.state == .accepted) }
        for wake in leased.subtracting(settled) { #expect(try await store.wake(wake)?.everLeased == true) }
        for (delivery, profile) in read { #expect(try await store.delivery(delivery, of: profile)?.isRead == true) }
        for device in devices.values where !removed.contains(device) {
            #expect(try await store.device(device) != nil || refusedRemoval)
        }
        for device in removed { #expect(try await store.device(device) == nil) }
    }

    /// A removal that was refused may have happened all the same.
    private var refusedRemoval: Bool { read.count > removed.count }

    private func replay(
        _ store: SQLiteHomeStore, _ producer: ProducerRow, _ key: String, recipients: Int
    ) async throws -> AcceptResult {
        let names = (0..<recipients).map { "replay-\(key)-\($0)" }
        return try await store.accept(
            NotificationPost(
                producer: producer, recipients: names, category: "mail", title: "title", body: key, data: [],
                series: nil,
                alert: .silent, ttlSeconds: nil, idempotency: Idempotency(key: key, fingerprint: [1])))
    }
}

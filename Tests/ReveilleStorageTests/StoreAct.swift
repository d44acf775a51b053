import ReveilleCore
import ReveilleStorage
import ReveilleStorageSQLite
import Testing

/// Something that a store is asked to do, and how its file looks before and after.
struct StoreAct: Sendable, CustomTestStringConvertible {
    typealias Look = @Sendable (ActScene, ActScene.Round, SQLiteHomeStore) async throws -> String

    let testDescription: String
    /// The operation of the storage protocols that it is about, by its whole name.
    let operation: String
    /// What ``look`` sees when nothing of it happened.
    let before: String
    /// What it sees once the act was acknowledged.
    let after: String
    /// What an act of several transactions may leave behind when it was refused.
    let between: Set<String>
    /// Whether neither later rounds nor a new start change what it made.
    let lasts: Bool
    let prepare: @Sendable (ActScene) async throws -> ActScene.Round
    let act: @Sendable (ActScene, ActScene.Round) async throws -> Void
    let look: Look
    /// Puts shared things back before the next round.
    let restore: @Sendable (ActScene, ActScene.Round) async throws -> Void

    init(
        _ name: String, of operation: String, from before: String, to after: String, between: Set<String> = [],
        lasts: Bool = true,
        prepare: @escaping @Sendable (ActScene) async throws -> ActScene.Round,
        act: @escaping @Sendable (ActScene, ActScene.Round) async throws -> Void, look: @escaping Look,
        restore: @escaping @Sendable (ActScene, ActScene.Round) async throws -> Void = { _, _ in }
    ) {
        testDescription = name
        self.operation = operation
        self.before = before
        self.after = after
        self.between = between
        self.lasts = lasts
        self.prepare = prepare
        self.act = act
        self.look = look
        self.restore = restore
    }

    static let all = devices + owners + posts + wakes + ends + reading + lanes + upkeep + credentials

    // MARK: Looking

    static let wakeState: Look = { _, round, store in
        try await store.wake(round.wake.row).map { "\($0.state)" } ?? "gone"
    }

    private static let readMarks: Look = { scene, round, store in
        try await store.deliveries(of: round.profile, before: nil, limit: 9).map { "\($0.isRead)" }
            .joined(separator: " ")
    }

    // MARK: The acts

    private static let devices: [StoreAct] = [
        StoreAct(
            "a first registration", of: "register(_:)", from: "0", to: "1",
            prepare: { try await $0.posted() },
            act: { scene, round in
                let number = 10_000 + round.number
                let profile = try await scene.store.profile("new-\(round.number)", of: scene.producer)
                _ = try await scene.store.register(try scene.registration(number, profile))
            },
            look: { scene, round, store in
                guard let profile = try await store.existingProfile("new-\(round.number)", of: scene.producer) else {
                    return "0"
                }
                return "\(try await store.devices(of: profile).count)"
            }),
        StoreAct(
            "a registration anew", of: "register(_:)", from: "1 1", to: "2 1",
            prepare: { try await $0.posted() },
            act: { scene, round in
                _ = try await scene.store.register(
                    try scene.registration(round.number, round.profile, appVersion: "2"))
            },
            look: { _, round, store in
                let devices = try await store.devices(of: round.profile)
                return "\(devices.first?.appVersion ?? "-") \(devices.count)"
            }),
        StoreAct(
            "a change of a device", of: "update(_:of:_:)", from: "phone privatePush leased",
            to: "renamed inAppOnly cancelled",
            prepare: { try await $0.leased() },
            act: { scene, round in
                let change = DeviceUpdate(name: .value("renamed"), pushMode: .inAppOnly, categories: .value(["mail"]))
                _ = try await scene.store.update(round.device.row, of: round.profile, change)
            },
            look: { _, round, store in
                let device = try await store.device(round.device.row)
                let wake = try await store.wake(round.wake.row)
                return "\(device?.name ?? "-") \(device?.pushMode ?? .off) \(wake?.state ?? .merged)"
            }),
        StoreAct(
            "a removal", of: "remove(_:of:)", from: "1 leased", to: "0 cancelled",
            prepare: { try await $0.leased() },
            act: { scene, round in _ = try await scene.store.remove(round.device.row, of: round.profile) },
            look: { scene, round, store in
                "\(try await store.devices(of: round.profile).count) \(try await wakeState(scene, round, store))"
            }),
        StoreAct(
            "a profile's push mode", of: "setPushMode(_:of:)", from: "privatePush", to: "off",
            prepare: { try await $0.posted() },
            act: { scene, round in try await scene.store.setPushMode(.off, of: round.profile) },
            look: { _, round, store in "\(try await store.pushMode(of: round.profile))" }),
    ]

    private static let posts: [StoreAct] = [
        StoreAct(
            "a post to three", of: "accept(_:)", from: "0 0 0 1", to: "1 1 1 2",
            prepare: { scene in
                let round = try await scene.posted()
                _ = try await scene.store.markRead(round.delivery, of: round.profile)
                try await scene.post([round.profileName], key: "second-\(round.number)")
                return round
            },
            act: { scene, round in
                let others = ["b-\(round.number)", "c-\(round.number)", "d-\(round.number)"]
                try await scene.post([round.profileName] + others, key: "third-\(round.number)")
            },
            look: { scene, round, store in
                var counts: [Int] = []
                for name in ["b", "c", "d"] {
                    let profile = try await store.existingProfile("\(name)-\(round.number)", of: scene.producer)
                    guard let profile else {
                        counts.append(0)
                        continue
                    }
                    counts.append(try await store.deliveries(of: profile, before: nil, limit: 9).count)
                }
                counts.append(try await store.unsettledWakes(of: round.device.row).count)
                return counts.map(String.init).joined(separator: " ")
            })
    ]

    private static let wakes: [StoreAct] = [
        StoreAct(
            "a lease", of: "lease(_:limit:lease:onlyTopic:excludingTopics:)", from: "waiting", to: "leased",
            lasts: false,
            prepare: { try await $0.posted() },
            act: { try await $0.lease($1) }, look: wakeState),
        StoreAct(
            "giving back", of: "giveBack(_:_:as:)", from: "leased", to: "waiting",
            prepare: { try await $0.leased() },
            act: { scene, round in
                let wake = GivenBackWake(wake: round.wake.row, leaseToken: ActScene.leaseToken)
                try await scene.store.giveBack(SQLiteStores.lane, [wake], as: .notBefore(milliseconds: .max / 2))
            }, look: wakeState),
    ]

    private static let reading: [StoreAct] = [
        StoreAct(
            "reading one", of: "markRead(_:of:)", from: "false", to: "true",
            prepare: { try await $0.posted() },
            act: { scene, round in _ = try await scene.store.markRead(round.delivery, of: round.profile) },
            look: readMarks),
        StoreAct(
            "reading all", of: "markAllRead(of:upTo:)", from: "false false", to: "true true",
            prepare: { scene in
                let round = try await scene.posted()
                try await scene.post([round.profileName], key: "second-\(round.number)")
                return round
            },
            act: { scene, round in _ = try await scene.store.markAllRead(of: round.profile, upTo: nil) },
            look: readMarks),
        StoreAct(
            "a receipt", of: "recordReceipt(_:by:of:)", from: "waiting", to: "cancelled",
            prepare: { try await $0.posted() },
            act: { scene, round in
                _ = try await scene.store.recordReceipt(round.delivery, by: round.device.row, of: round.profile)
            }, look: wakeState),
        StoreAct(
            "a cursor", of: "acknowledge(_:by:)", from: "waiting", to: "cancelled",
            prepare: { try await $0.posted() },
            act: { scene, round in
                let change = round.delivery.number
                let epoch = try await scene.store.epoch(of: change) ?? 0
                let cursor = Cursor(profile: round.profile, epoch: epoch, change: change)
                try await scene.store.acknowledge(cursor, by: round.device.row)
            }, look: wakeState),
    ]
}

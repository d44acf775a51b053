import ReveilleCore
import ReveilleRuntime
import ReveilleSQLite
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTesting

/// Acts of a lane besides leasing and settling: pauses, probes, leases that are prolonged.
extension StoreAct {
    private static let pauseReason = ProviderReason("InvalidProviderToken")

    private static let pausesAndWake: Look = { scene, round, store in
        let lane = try await store.allLanes().first { $0.key == SQLiteStores.lane }
        return "\(lane?.pauses.count ?? -1) \(try await wakeState(scene, round, store))"
    }

    private static let unsettled: Look = { _, round, store in
        let states = try await store.unsettledWakes(of: round.device.row).map { "\($0.state)" }
        return states.joined(separator: " ")
    }

    /// How long the lease of the wake still lasts, which no operation of a store tells.
    private static let secondsOfLease: Look = { scene, round, _ in
        let file = try SQLiteConnection(path: scene.path, access: .readOnly, busyMilliseconds: 0)
        let find = try file.prepare("SELECT lease_until FROM wake WHERE id = ?1")
        find.bind(1, round.wake.row.number)
        let until = try find.first { $0.integer(0) } ?? 0
        return "\((until - scene.steadyMilliseconds) / 1_000)"
    }

    private static func endPause(_ scene: ActScene) async throws {
        try await scene.store.recordPause(SQLiteStores.lane, topic: nil, reason: nil)
        _ = try await scene.store.catchUp(SQLiteStores.lane, topic: nil)
    }

    /// A probe takes the first that it finds: those of earlier rounds must be gone.
    private static func removeDevice(_ scene: ActScene, _ round: ActScene.Round) async throws {
        _ = try await scene.store.remove(round.device.row, of: round.profile)
    }

    static let lanes: [StoreAct] = [
        StoreAct(
            "a pause", of: "recordPause(_:topic:reason:)", from: "0 waiting", to: "1 held", between: ["1 waiting"],
            lasts: false,
            prepare: { try await $0.posted() },
            act: { scene, _ in
                try await scene.store.recordPause(SQLiteStores.lane, topic: nil, reason: pauseReason)
            },
            look: pausesAndWake,
            restore: { scene, _ in try await endPause(scene) }),
        StoreAct(
            "a catch-up after a pause", of: "catchUp(_:topic:)", from: "held", to: "waiting", lasts: false,
            prepare: { scene in
                let round = try await scene.posted()
                try await scene.store.recordPause(SQLiteStores.lane, topic: nil, reason: pauseReason)
                try await scene.store.recordPause(SQLiteStores.lane, topic: nil, reason: nil)
                return round
            },
            act: { scene, _ in _ = try await scene.store.catchUp(SQLiteStores.lane, topic: nil) }, look: unsettled,
            restore: { scene, _ in try await endPause(scene) }),
        StoreAct(
            "the end of a pause", of: "recordPause(_:topic:reason:)", from: "1 held", to: "0 held", lasts: false,
            prepare: { scene in
                let round = try await scene.posted()
                try await scene.store.recordPause(SQLiteStores.lane, topic: nil, reason: pauseReason)
                return round
            },
            act: { scene, _ in try await scene.store.recordPause(SQLiteStores.lane, topic: nil, reason: nil) },
            look: pausesAndWake,
            restore: { scene, _ in try await endPause(scene) }),
        StoreAct(
            "the lease of a probe", of: "leaseLaneProbe(_:topic:lease:)", from: "held", to: "leased", lasts: false,
            prepare: { scene in
                let round = try await scene.posted()
                try await scene.store.recordPause(SQLiteStores.lane, topic: nil, reason: pauseReason)
                return round
            },
            act: { scene, _ in
                _ = try await scene.store.leaseLaneProbe(SQLiteStores.lane, topic: nil, lease: scene.lease())
            }, look: wakeState,
            restore: { scene, round in
                try await endPause(scene)
                try await removeDevice(scene, round)
            }),
        StoreAct(
            "the lease of what is due next", of: "leaseEarliest(_:lease:)", from: "waiting", to: "leased",
            lasts: false,
            prepare: { scene in
                let round = try await scene.leased()
                try await scene.settle(round, .retry(reason: ProviderReason("Busy"), after: .schedule(seconds: 600)))
                return round
            },
            act: { scene, _ in
                _ = try await scene.store.leaseEarliest(SQLiteStores.lane, lease: scene.lease())
            }, look: wakeState, restore: removeDevice),
        StoreAct(
            "the release of probes", of: "releaseDeviceProbes(_:topic:limit:)", from: "deviceQuarantined false",
            to: "- true",
            prepare: { try await $0.quarantined() },
            act: { scene, _ in
                _ = try await scene.store.releaseDeviceProbes(
                    SQLiteStores.lane, topic: SQLiteStores.app.identifier, limit: 1_000)
            },
            look: { _, round, store in
                let wake = try await store.wake(round.wake.row)
                return "\(wake?.hold.map { "\($0)" } ?? "-") \(wake?.isProbe ?? false)"
            }),
        StoreAct(
            "a longer lease", of: "renew(_:_:token:untilMilliseconds:)", from: "60", to: "120", lasts: false,
            prepare: { try await $0.leased() },
            act: { scene, round in
                _ = try await scene.store.renew(
                    SQLiteStores.lane, [round.wake.row], token: ActScene.leaseToken,
                    untilMilliseconds: scene.steadyMilliseconds + 120_000)
            }, look: secondsOfLease),
    ]
}

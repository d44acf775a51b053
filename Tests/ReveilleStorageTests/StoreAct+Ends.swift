import ReveilleCore
import ReveilleRuntime
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTesting

/// Ends of tries, and all that they change of wake, device and lane in one transaction.
extension StoreAct {
    private static let wakeAndTries: Look = { _, round, store in
        let wake = try await store.wake(round.wake.row)
        let device = try await store.device(round.device.row)
        let tries = try await store.tries(of: round.wake.row).count
        return "\(wake?.state ?? .merged) \(wake?.failures ?? -1) \(tries) \(device?.state ?? .pending)"
            + " \(device?.lastFailure?.word ?? "-")"
    }

    private static let wakeAndSuccessor: Look = { _, round, store in
        let wake = try await store.wake(round.wake.row)
        guard let wake, let row = wake.successor else { return "\(wake?.state ?? .merged) -" }
        return "\(wake.state) \(try await store.wake(row)?.lane.destination.place ?? "gone")"
    }

    static let ends: [StoreAct] = [
        StoreAct(
            "an accepted try", of: "settle(_:_:)", from: "leased true", to: "accepted false",
            prepare: { try await $0.leased() },
            act: { try await $0.settle($1, .accepted) },
            look: { scene, round, store in
                let device = try await store.device(round.device.row)
                return "\(try await wakeState(scene, round, store)) \(device?.lastSuccessMilliseconds == nil)"
            }),
        StoreAct(
            "a refused try", of: "settle(_:_:)", from: "leased 0 0 active -", to: "failed 0 1 active PayloadEmpty",
            prepare: { try await $0.leased() },
            act: { try await $0.settle($1, .refused(reason: ProviderReason("PayloadEmpty"))) }, look: wakeAndTries),
        StoreAct(
            "a try to be repeated", of: "settle(_:_:)", from: "leased 0 0 active -", to: "waiting 1 1 active -",
            prepare: { try await $0.leased() },
            act: { try await $0.settle($1, .retry(reason: ProviderReason("Busy"), after: .schedule(seconds: 60))) },
            look: wakeAndTries),
        StoreAct(
            "a doubtful end of a device", of: "settle(_:_:)", from: "leased 0 0 active -",
            to: "held 1 1 quarantined Unregistered",
            prepare: { try await $0.leased() },
            act: { try await $0.settle($1, ActScene.gone) }, look: wakeAndTries),
        StoreAct(
            "a believed end of a device", of: "settle(_:_:)", from: "leased 0 0 active -",
            to: "failed 0 1 needsRegistration Unregistered",
            prepare: { try await $0.proven() },
            act: { try await $0.settle($1, ActScene.gone) }, look: wakeAndTries),
        StoreAct(
            "a misconfigured try", of: "settle(_:_:)", from: "leased 0 0 active -", to: "held 1 1 active -",
            prepare: { try await $0.leased() },
            act: {
                try await $0.settle($1, .misconfigured(reason: ProviderReason("InvalidProviderToken"), scope: .lane))
            }, look: wakeAndTries),
        StoreAct(
            "a try with a token that was rotated meanwhile", of: "settle(_:_:)", from: "leased -",
            to: "superseded production",
            prepare: { scene in
                let round = try await scene.leased()
                try await scene.rotateToken(round)
                return round
            },
            act: { try await $0.settle($1, .unknown(reason: ProviderReason("ConnectionLost"))) },
            look: wakeAndSuccessor),
        StoreAct(
            "a try in the wrong environment", of: "settle(_:_:)", from: "leased -", to: "superseded sandbox",
            prepare: { try await $0.leased() },
            act: { try await $0.settle($1, .wrongEnvironment(reason: ProviderReason("BadDeviceToken"))) },
            look: wakeAndSuccessor),
    ]
}

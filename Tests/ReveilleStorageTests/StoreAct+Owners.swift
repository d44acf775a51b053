import ReveilleCore
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTesting

/// Acts by which a device changes hands or is let in again.
extension StoreAct {
    static let owners: [StoreAct] = [
        StoreAct(
            "a verification", of: "verify(_:of:code:)", from: "1 0", to: "0 1",
            prepare: { try await $0.claimed() },
            act: { scene, round in
                guard let claim = scene.claim(round) else { return }
                _ = try await scene.store.verify(round.device.row, of: claim.profile, code: claim.code)
            },
            look: { scene, round, store in
                guard let claim = scene.claim(round) else { return "no claim" }
                let old = try await store.devices(of: round.profile).count
                return "\(old) \(try await store.devices(of: claim.profile).count)"
            }),
        StoreAct(
            "enabling a device in quarantine", of: "enable(_:)", from: "quarantined deviceQuarantined", to: "active -",
            prepare: { try await $0.quarantined() },
            act: { scene, round in _ = try await scene.store.enable(round.device.row) },
            look: { _, round, store in
                let device = try await store.device(round.device.row)
                let hold = try await store.wake(round.wake.row)?.hold
                return "\(device?.state ?? .pending) \(hold.map { "\($0)" } ?? "-")"
            }),
        StoreAct(
            "enabling a device that was gone", of: "enable(_:)", from: "needsRegistration 0", to: "active 1",
            lasts: false,
            prepare: { scene in
                let round = try await scene.proven()
                try await scene.settle(round, ActScene.gone)
                return round
            },
            act: { scene, round in _ = try await scene.store.enable(round.device.row) },
            look: { _, round, store in
                let device = try await store.device(round.device.row)
                return "\(device?.state ?? .pending) \(try await store.unsettledWakes(of: round.device.row).count)"
            }),
    ]
}

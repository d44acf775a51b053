import ReveilleCore
import ReveilleRuntime
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTesting

/// Acts that concern the whole store.
extension StoreAct {
    static let upkeep: [StoreAct] = [
        StoreAct(
            "freeing a lease that ran out", of: "sweep(expiryAllowed:)", from: "leased", to: "waiting", lasts: false,
            prepare: { scene in
                let round = try await scene.leased()
                scene.clock.advance(by: .seconds(61))
                return round
            },
            act: { scene, _ in _ = try await scene.store.sweep(expiryAllowed: true) }, look: wakeState),
        StoreAct(
            "the end of a life", of: "sweep(expiryAllowed:)", from: "waiting", to: "expired",
            prepare: { scene in
                let round = try await scene.posted(ttl: 60)
                scene.clock.advance(by: .seconds(61))
                return round
            },
            act: { scene, _ in _ = try await scene.store.sweep(expiryAllowed: true) }, look: wakeState),
        StoreAct(
            "pruning", of: "prune(_:limit:)", from: "accepted title", to: "gone -",
            prepare: { scene in
                let round = try await scene.leased()
                try await scene.settle(round, .accepted)
                scene.clock.advance(by: .seconds(200 * 86_400))
                return round
            },
            act: { scene, _ in _ = try await scene.store.prune(Retention(), limit: 1_000) },
            look: { scene, round, store in
                let delivery = try await store.delivery(round.delivery, of: round.profile)
                return "\(try await wakeState(scene, round, store)) \(delivery?.title ?? "-")"
            }),
        StoreAct(
            "a rotation of the master key", of: "followMasterKeys()", from: "false title phone", to: "true title phone",
            lasts: false,
            prepare: { scene in
                let round = try await scene.posted()
                scene.rotateKeyFile()
                return round
            },
            act: { scene, _ in _ = try await scene.store.followMasterKeys() }, look: contents,
            restore: { scene, _ in _ = try await scene.store.followMasterKeys() }),
        StoreAct(
            "sealing anew under another master key", of: "reseal(limit:)", from: "true title phone",
            to: "true title phone", lasts: false,
            prepare: { scene in
                let round = try await scene.posted()
                scene.rotateKeyFile()
                _ = try await scene.store.followMasterKeys()
                return round
            },
            act: { scene, _ in
                while try await scene.store.reseal(limit: 1_000) > 0 {}
                // Acknowledged: the former keys may be lost.
                scene.forgetFormerKeys()
            }, look: contents),
        StoreAct(
            "following the clock after a jump", of: "replan()", from: "7200000", to: "7200000", lasts: false,
            prepare: { scene in
                let round = try await scene.posted()
                try await scene.store.replan()
                scene.clock.jumpWall(by: .seconds(7_200))
                return round
            },
            act: { scene, _ in try await scene.store.replan() },
            look: { _, round, store in
                // Whoever writes first moves the wakes, and nobody moves them twice.
                let due = try await store.wake(round.wake.row)?.dueAtMilliseconds
                return "\((due ?? 0) - round.wake.dueAtMilliseconds)"
            }),
    ]

    private static let contents: Look = { scene, round, store in
        let delivery = try await store.delivery(round.delivery, of: round.profile)
        let device = try await store.device(round.device.row)
        let isPresent = store.masterKeyCheckValue == scene.keyFile.withLock { $0?.current.checkValue }
        return "\(isPresent) \(delivery?.title ?? "-") \(device?.name ?? "-")"
    }

    /// A round with a token of its own.
    private static let withToken: @Sendable (ActScene) async throws -> ActScene.Round = { scene in
        let round = try await scene.posted()
        try await scene.makeToken(round)
        return round
    }

    static let credentials: [StoreAct] = [
        StoreAct(
            "a new producer", of: "createProducer(name:)", from: "false", to: "true",
            prepare: { try await $0.posted() },
            act: { scene, round in _ = try await scene.store.createProducer(name: "producer-\(round.number)") },
            look: { _, round, store in "\(try await store.producer(name: "producer-\(round.number)") != nil)" }),
        StoreAct(
            "a new token", of: "createToken(_:scopes:label:)", from: "false", to: "true",
            prepare: { try await $0.posted() },
            act: { try await $0.makeToken($1) }, look: isValid),
        StoreAct(
            "a revocation", of: "revoke(_:of:)", from: "true", to: "false",
            prepare: withToken,
            act: { scene, round in
                guard let made = scene.token(round) else { return }
                _ = try await scene.store.revoke(made.credential, of: .producer(scene.producer))
            }, look: isValid),
        StoreAct(
            "a revocation by the token's text", of: "revoke(token:)", from: "true", to: "false",
            prepare: withToken,
            act: { scene, round in
                guard let made = scene.token(round) else { return }
                _ = try await scene.store.revoke(token: made.token)
            }, look: isValid),
        StoreAct(
            "a new profile", of: "profile(_:of:)", from: "false", to: "true",
            prepare: { try await $0.posted() },
            act: { scene, round in _ = try await scene.store.profile("new-\(round.number)", of: scene.producer) },
            look: { scene, round, store in
                "\(try await store.existingProfile("new-\(round.number)", of: scene.producer) != nil)"
            }),
    ]

    private static let isValid: Look = { scene, round, store in
        guard let made = scene.token(round) else { return "false" }
        return "\(try await store.credential(token: made.token) != nil)"
    }
}

extension ActScene {
    /// Takes the former keys out of the key file.
    func forgetFormerKeys() {
        keyFile.withLock { keys in keys = keys.map { MasterKeys(current: $0.current) } }
    }
}

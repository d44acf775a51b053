import ReveilleCore
import ReveilleStorage
import Testing

extension StorageConformance {
    static let registering: [ConformanceCase] = [
        ConformanceCase("a new install gets a row, the same again keeps it") { world in
            let request = try world.registration(try await world.profile())
            let device = try await world.created(request)
            #expect(device.state == .active && device.isEnabled && device.lane == .apns(.production))
            #expect(device.topic == "org.example.app" && device.installID == "install" && device.os == .iOS)
            #expect(device.registeredAtMilliseconds == world.now)
            let again = try await world.existing(request)
            #expect(again.row == device.row && again.version == device.version)
            #expect(try await world.store.devices(of: device.profile).map(\.row) == [device.row])
        },
        ConformanceCase("an app that posts its token twice at once has one row") { world in
            let request = try world.registration(try await world.profile())
            let results = try await withThrowingTaskGroup(of: RegistrationResult.self) { group in
                for _ in 0..<2 { group.addTask { try await world.store.register(request) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let created = results.filter { if case .created = $0 { true } else { false } }
            let existing = results.filter { if case .existing = $0 { true } else { false } }
            #expect(created.count == 1 && existing.count == 1)
            #expect(try await world.store.devices(of: request.profile).count == 1)
        },
        ConformanceCase("an install that brings another token keeps one row, with the new token") { world in
            let profile = try await world.profile()
            let device = try await world.created(try world.registration(profile, token: 0xAA))
            let rotated = try await world.existing(try world.registration(profile, token: 0xBB))
            #expect(rotated.row == device.row && rotated.version == device.version)
            #expect(rotated.generation == device.generation + 1)
            try await world.deliver()
            let wakes = try await world.lease()
            #expect(wakes.count == 1)
            let token = try world.opened.vault.open(try #require(wakes.first).sealedToken, device: device.row)
            #expect(token.octets.first == 0xBB)
        },
        ConformanceCase("a token moves to the newest sign-in: a new row, and nothing of the old owner is sent") {
            world in
            let ann = try await world.profile("ann")
            let bob = try await world.profile("bob")
            let old = try await world.created(try world.registration(ann, install: "d1", signedInAt: 1))
            try await world.deliver("ann")
            let leased = try await world.leaseOne()
            try await world.deliver("ann")
            let new = try await world.created(try world.registration(bob, install: "d1", signedInAt: 2))
            #expect(new.row != old.row)
            #expect(try await world.store.device(old.row) == nil)
            #expect(try await world.store.devices(of: ann).isEmpty)
            #expect(try await world.record(leased.wake).state == .cancelled)
            #expect(world.intake.seen.revoked == [leased.wake])
            #expect(try await world.lease().isEmpty)
        },
        ConformanceCase("a late registration of an older sign-in takes nothing back and writes nothing") { world in
            let ann = try await world.profile("ann")
            let bob = try await world.profile("bob")
            _ = try await world.created(try world.registration(bob, signedInAt: 2))
            let late = try await world.store.register(try world.registration(ann, signedInAt: 1))
            guard case .newerSignIn = late else { throw Unexpected("\(late)") }
            #expect(try await world.store.devices(of: ann).isEmpty)
            #expect(try await world.store.devices(of: bob).count == 1)
        },
        ConformanceCase("an older session does not rotate an install back") { world in
            let profile = try await world.profile()
            _ = try await world.created(try world.registration(profile, token: 2, signedInAt: 2))
            let late = try await world.store.register(try world.registration(profile, token: 1, signedInAt: 1))
            guard case .newerSignIn = late else { throw Unexpected("\(late)") }
        },
        ConformanceCase(
            "with one proven installation the higher generation owns it, whatever the sign-ins", generations),
        ConformanceCase("the same generation with other content is stale, with the same content a replay") { world in
            let profile = try await world.profile()
            let request = try world.keyed(profile, generation: 5)
            let device = try await world.created(request)
            let replay = try await world.existing(request)
            #expect(replay.generation == device.generation)
            var other = request
            other.address = .apns(try DeviceToken(octets: [9, 9]))
            try await world.expectStale(other)
        },
        ConformanceCase("an install that bound a key is changed by nobody without it") { world in
            let profile = try await world.profile()
            let device = try await world.created(try world.keyed(profile, generation: 1))
            for request in [
                try world.registration(profile, install: "keyed"), try world.keyed(profile, key: 6, generation: 2),
            ] {
                let result = try await world.store.register(request)
                guard case .installationKeyMismatch = result else { throw Unexpected("\(result)") }
            }
            #expect(try await world.reload(device) == device)
        },
        ConformanceCase("the first key that comes is bound to an install") { world in
            let profile = try await world.profile()
            let device = try await world.created(try world.registration(profile, install: "keyed"))
            let bound = try await world.existing(try world.keyed(profile, token: 1, generation: 1))
            #expect(bound.row == device.row)
            let result = try await world.store.register(try world.registration(profile, install: "keyed"))
            guard case .installationKeyMismatch = result else { throw Unexpected("\(result)") }
        },
        ConformanceCase(
            "a row bound to a key is displaced only with the code that was sent to its token", verification),
        ConformanceCase("the code alone completes the registration that waits for it", verifyCompletes),
        ConformanceCase("five wrong codes end a claim", wrongCodes),
        ConformanceCase("a code is good for ten minutes") { world in
            let (request, _, code) = try await world.claimed()
            world.advance(by: .seconds(600))
            var late = request
            late.verificationCode = code
            let result = try await world.store.register(late)
            guard case .wrongCode = result else { throw Unexpected("\(result)") }
        },
        ConformanceCase("verification wakes take no part in merging") { world in
            let (_, holder, _) = try await world.claimed(settles: false)
            for number in 0..<6 { try await world.deliver("ann", alert: .silent, series: "\(number)") }
            #expect(try await world.unsettled(holder).map(\.reason) == [.verify, .changed])
        },
        ConformanceCase("installs that an app shares keep a row for each profile", shares),
        ConformanceCase("without a proven key installs are not shared") { world in
            let ann = try await world.profile("ann")
            let bob = try await world.profile("bob")
            let app = StoreWorld.sharedApp
            _ = try await world.created(try world.registration(ann, token: 3, signedInAt: 1, app: app))
            _ = try await world.created(try world.registration(bob, token: 3, signedInAt: 2, app: app))
            #expect(try await world.store.devices(of: ann).isEmpty)
        },
        ConformanceCase("a new registration enables a disabled device, a replay does not", replays),
        ConformanceCase("a registration ends a quarantine and releases what was held") { world in
            let device = try await world.device()
            try await world.deliver()
            try await world.settle(try await world.leaseOne(), .gone)
            let request = try world.registration(try await world.profile(), install: "install-1")
            #expect(try await world.existing(request).state == .active)
            #expect(try await world.unsettled(device).map(\.state) == [.waiting])
        },
        ConformanceCase("a device can be removed and comes back as another") { world in
            let request = try world.registration(try await world.profile())
            let first = try await world.created(request)
            #expect(try await world.store.remove(first.row, of: first.profile))
            let second = try await world.created(request)
            #expect(second.row > first.row)
        },
        ConformanceCase("a late request of an install that moved on does not bring it back") { world in
            let profile = try await world.profile()
            let device = try await world.created(try world.keyed(profile, generation: 7))
            #expect(try await world.store.remove(device.row, of: profile))
            try await world.expectStale(try world.keyed(profile, generation: 6))
            _ = try await world.created(try world.keyed(profile, generation: 8))
        },
        ConformanceCase("what is absent stays, what is empty goes, what is given replaces", optionalFields),
        ConformanceCase("a profile has as many devices as it may") { world in
            for token in 1...5 as ClosedRange<UInt8> { try await world.device(token: token) }
            let profile = try await world.profile()
            let result = try await world.store.register(try world.registration(profile, token: 6, install: "sixth"))
            guard case .tooManyDevices = result else { throw Unexpected("\(result)") }
            // One that replaces another of the same profile is not one more.
            _ = try await world.created(try world.registration(profile, token: 5, install: "sixth"))
        },
        ConformanceCase("a token registered for the other environment goes there, and waiting wakes with it") { world in
            let device = try await world.device()
            try await world.deliver()
            var request = try world.registration(try await world.profile(), install: "install-1")
            request.lane = .apns(.sandbox)
            let moved = try await world.existing(request)
            #expect(moved.row == device.row && moved.lane == .apns(.sandbox) && moved.version == device.version)
            #expect(try await world.lease().isEmpty)
            #expect(try await world.lease(on: StoreWorld.sandbox).count == 1)
        },
        ConformanceCase("devices are listed newest first for their profile, and all of them in pages") { world in
            var rows: [DeviceRow] = []
            for token in 1...4 as ClosedRange<UInt8> {
                rows.append(try await world.device(token: token).row)
                world.advance(by: .seconds(1))
            }
            try await world.device("bob", token: 9)
            #expect(try await world.store.devices(of: try await world.profile()).map(\.row) == rows.reversed())
            let first = try await world.store.allDevices(after: nil, limit: 3)
            #expect(first.map(\.row) == Array(rows[0..<3]))
            let rest = try await world.store.allDevices(after: first.last?.row, limit: 3)
            #expect(rest.count == 2 && rest.first?.row == rows[3])
            #expect(try await world.store.device(rows[0], of: try await world.profile("bob")) == nil)
        },
    ]

    @Sendable private static func generations(_ world: StoreWorld) async throws {
        let ann = try await world.profile("ann")
        let bob = try await world.profile("bob")
        let old = try await world.created(try world.keyed(ann, generation: 5, signedInAt: 9))
        let new = try await world.created(try world.keyed(bob, generation: 6, signedInAt: 1))
        #expect(try await world.store.device(old.row) == nil)
        try await world.expectStale(try world.keyed(ann, generation: 5, signedInAt: 10))
        // The install took another token meanwhile: it still belongs to one profile.
        let third = try await world.created(try world.keyed(ann, token: 8, generation: 7))
        #expect(try await world.store.device(new.row) == nil)
        #expect(try await world.existing(try world.keyed(ann, token: 9, generation: 8)).row == third.row)
        try await world.expectStale(try world.keyed(ann, token: 8, generation: 7))
    }

    @Sendable private static func verification(_ world: StoreWorld) async throws {
        let (request, holder, code) = try await world.claimed()
        #expect(try await world.reload(holder) == holder)
        #expect(try await world.store.devices(of: request.profile).isEmpty)
        var wrong = request
        wrong.verificationCode = "AAAAAAAAAAAAAAAA"
        let refused = try await world.store.register(wrong)
        guard case .wrongCode = refused else { throw Unexpected("\(refused)") }
        var right = request
        right.verificationCode = code
        let device = try await world.created(right)
        #expect(device.profile == request.profile)
        #expect(try await world.store.device(holder.row) == nil)
    }

    @Sendable private static func verifyCompletes(_ world: StoreWorld) async throws {
        let (request, holder, code) = try await world.claimed()
        let stranger = try await world.profile("stranger")
        guard case .notFound = try await world.store.verify(holder.row, of: stranger, code: code) else {
            throw Unexpected("a stranger has no claim")
        }
        guard case .wrongCode = try await world.store.verify(holder.row, of: request.profile, code: "no") else {
            throw Unexpected("the code is wrong")
        }
        let result = try await world.store.verify(holder.row, of: request.profile, code: code)
        guard case .verified(let device) = result else { throw Unexpected("\(result)") }
        #expect(device.profile == request.profile && device.installID == request.installID)
        #expect(device.name == "bob's phone" && device.categories == ["mail"])
        #expect(try await world.store.device(holder.row) == nil)
        try await world.deliver("bob")
        let wake = try await world.leaseOne()
        let token = try world.opened.vault.open(wake.sealedToken, device: device.row)
        #expect(token.octets == request.address.octets)
    }

    @Sendable private static func wrongCodes(_ world: StoreWorld) async throws {
        let (request, holder, code) = try await world.claimed()
        for _ in 0..<5 {
            guard case .wrongCode = try await world.store.verify(holder.row, of: request.profile, code: "no") else {
                throw Unexpected("the code is wrong")
            }
        }
        guard case .wrongCode = try await world.store.verify(holder.row, of: request.profile, code: code) else {
            throw Unexpected("the claim has ended")
        }
        #expect(try await world.reload(holder) == holder)
    }

    @Sendable private static func shares(_ world: StoreWorld) async throws {
        let ann = try await world.shared("ann")
        let bob = try await world.shared("bob")
        #expect(try await world.reload(ann) == ann)
        try await world.accept(world.post(["ann", "bob"]))
        #expect(Set(try await world.lease().map(\.device)) == [ann.row, bob.row])
        #expect(try await world.store.remove(ann.row, of: ann.profile))
        #expect(try await world.reload(bob).state == .active)
    }

    @Sendable private static func replays(_ world: StoreWorld) async throws {
        try await world.proveLane()
        let ann = try await world.profile("ann")
        var plain = try world.registration(ann)
        plain.idempotencyKey = "k1"
        let keyed = try world.keyed(ann, token: 2, generation: 3)
        for (request, newer) in [
            (
                plain,
                { (request: DeviceRegistration) in
                    var request = request
                    request.idempotencyKey = "k2"
                    return request
                }
            ),
            (
                keyed,
                { (request: DeviceRegistration) in
                    var request = request
                    request.generation = 4
                    return request
                }
            ),
        ] {
            let device = try await world.created(request)
            try await world.deliver("ann")
            try await world.settle(try await world.leaseOne(), .gone)
            #expect(try await world.reload(device).state == .needsRegistration)
            world.advance(by: .seconds(24 * 3_600))
            try await world.proveLane(token: request.address.octets[0] + 100)
            #expect(try await world.existing(request).state == .needsRegistration)
            let enabled = try await world.existing(newer(request))
            #expect(enabled.row == device.row && enabled.state == .active)
            _ = try await world.store.remove(device.row, of: ann)
        }
        let device = try await world.created(try world.registration(ann, token: 7))
        try await world.deliver("ann")
        try await world.settle(try await world.leaseOne(), .gone)
        #expect(try await world.reload(device).state == .needsRegistration)
        // Without a key every request is new.
        #expect(try await world.existing(try world.registration(ann, token: 7)).state == .active)
    }

    @Sendable private static func optionalFields(_ world: StoreWorld) async throws {
        var request = try world.registration(try await world.profile())
        request.name = .value("phone ☎")
        request.categories = .value(["mail", "chat"])
        request.appVersion = "1.2"
        request.locale = "de"
        let device = try await world.created(request)
        #expect(device.name == "phone ☎" && device.categories == ["mail", "chat"])
        request.name = .absent
        request.categories = .absent
        request.appVersion = nil
        let kept = try await world.existing(request)
        #expect(kept.name == "phone ☎" && kept.categories == ["mail", "chat"] && kept.appVersion == "1.2")
        request.name = .empty
        request.categories = .empty
        let emptied = try await world.existing(request)
        #expect(emptied.name == nil && emptied.categories == nil)
        let change = DeviceUpdate(name: .value("renamed"), pushMode: nil, categories: .value([]))
        let changed = try #require(try await world.store.update(device.row, of: device.profile, change))
        #expect(changed.name == "renamed" && changed.categories == [] && changed.version == device.version)
        let bob = try await world.profile("bob")
        #expect(try await world.store.update(device.row, of: bob, change) == nil)
    }
}

extension StoreWorld {
    /// A registration of an install that proves a key.
    func keyed(
        _ profile: ProfileRow, token: UInt8 = 1, key: UInt8 = 5, generation: Int64, signedInAt: Int64 = 1_000
    ) throws -> DeviceRegistration {
        var request = try registration(profile, token: token, install: "keyed", signedInAt: signedInAt)
        request.installationKey = [UInt8](repeating: key, count: 32)
        request.generation = generation
        return request
    }

    func expectStale(_ request: DeviceRegistration) async throws {
        let result = try await store.register(request)
        guard case .staleGeneration = result else { throw Unexpected("\(result)") }
    }

    /// Lets bob claim the token of ann's install, which is bound to a key; returns bob's request, ann's device and the code.
    func claimed(settles: Bool = true) async throws -> (request: DeviceRegistration, holder: Device, code: String) {
        let holder = try await created(try keyed(try await profile("ann"), token: 4, generation: 1))
        var request = try registration(try await profile("bob"), token: 4, install: "bob's", signedInAt: 9_000)
        request.name = .value("bob's phone")
        request.categories = .value(["mail"])
        for _ in 0..<2 {
            let result = try await store.register(request)
            guard case .verificationRequired = result else { throw Unexpected("\(result)") }
        }
        if !settles { return (request, holder, "") }
        let wake = try await leaseOne()
        #expect(wake.reason == .verify && wake.device == holder.row && wake.delivery == nil && wake.collapse == nil)
        #expect(wake.mode == .backgroundWake && wake.shape == .reveille)
        try await settle(wake, .accepted)
        return (request, try await reload(holder), try #require(wake.verificationCode))
    }
}

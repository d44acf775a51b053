import ReveilleCore
import ReveilleStorage
import Testing

extension StorageConformance {
    /// Subscriptions prove themselves before they are woken.
    static let proving: [ConformanceCase] = [
        ConformanceCase("a new subscription is pending: it is sent a code, and its wakes are held") { world in
            let device = try await world.subscribed()
            #expect(device.state == .pending)
            try await world.deliver()
            let wakes = try await world.unsettled(device)
            #expect(wakes.map(\.reason) == [.verify, .changed] && wakes.map(\.hold) == [nil, .deviceUnverified])
            #expect(try await world.verification().verificationCode?.count == 16)
        },
        ConformanceCase("the code that comes back makes it active and lets its wakes go") { world in
            let device = try await world.subscribed()
            try await world.deliver()
            let wake = try await world.verification()
            try await world.settle(wake, .accepted, on: StoreWorld.pushLane)
            #expect(try await world.reload(device).state == .pending)
            try await world.expectVerified(device, code: wake.verificationCode)
            let released = try await world.leaseOne(on: StoreWorld.pushLane)
            #expect(released.reason == .changed && released.verificationCode == nil)
        },
        ConformanceCase(
            "a code is good for ten minutes, for its device and profile, and not after five wrong ones", codes),
        ConformanceCase("a pending device that registers again gets another code, not within half a minute") { world in
            let device = try await world.subscribed()
            let first = try await world.verification()
            _ = try await world.existing(try await world.subscription())
            #expect(try await world.lease(on: StoreWorld.pushLane).isEmpty)
            world.advance(by: .seconds(31))
            #expect(try await world.existing(try await world.subscription()).state == .pending)
            let second = try await world.verification()
            #expect(second.verificationCode != first.verificationCode)
            guard case .wrongCode = try await world.verify(device, first.verificationCode) else {
                throw Unexpected("the former code still counts")
            }
            try await world.expectVerified(device, code: second.verificationCode)
        },
        ConformanceCase("another endpoint, or other keys, must prove themselves anew; the same subscription need not") {
            world in
            let device = try await world.subscribed()
            try await world.expectVerified(device, code: try await world.verification().verificationCode)
            world.advance(by: .seconds(60))
            #expect(try await world.existing(try await world.subscription()).state == .active)
            #expect(try await world.existing(try await world.subscription(key: 9)).state == .pending)
            try await world.expectVerified(device, code: try await world.verification().verificationCode)
            let moved = try await world.existing(try await world.subscription(endpoint: "other", key: 9))
            #expect(moved.state == .pending && moved.row == device.row)
        },
        ConformanceCase("what no code came back for in a day vanishes, with its wakes") { world in
            let device = try await world.subscribed()
            let delivery = try await world.deliver()
            world.advance(by: .seconds(23 * 3_600))
            try await world.pruneAll()
            #expect(try await world.reload(device).state == .pending)
            world.advance(by: .seconds(3_601))
            try await world.pruneAll()
            #expect(try await world.store.device(device.row) == nil)
            #expect(try await world.store.delivery(delivery, of: try await world.profile()) != nil)
        },
        ConformanceCase("a gone says nothing of a device that has not proved itself: it stays pending") { world in
            let device = try await world.subscribed()
            let wake = try await world.verification()
            world.advance(by: .seconds(120))
            let settled = try await world.settle(wake, .gone, on: StoreWorld.pushLane)
            #expect(settled.settlement.wake == .settle(.failed) && settled.settlement.device == .none)
            #expect(try await world.reload(device).state == .pending)
        },
        ConformanceCase("a gone within a minute of the registration is asked again before it is believed") { world in
            let device = try await world.subscribed()
            try await world.expectVerified(device, code: try await world.verification().verificationCode)
            try await world.deliver()
            let early = try await world.leaseOne(on: StoreWorld.pushLane)
            guard case .retry = try await world.settle(early, .gone, on: StoreWorld.pushLane).settlement.wake else {
                throw Unexpected("a gone was believed at once")
            }
            world.advance(by: .seconds(120))
            let late = try await world.leaseOne(on: StoreWorld.pushLane)
            #expect(
                try await world.settle(late, .gone, on: StoreWorld.pushLane).settlement.wake
                    == .hold(.deviceQuarantined))
        },
        ConformanceCase("with the fault of one subscription comes how many devices its lane has") { world in
            let device = try await world.subscribed()
            try await world.expectVerified(device, code: try await world.verification().verificationCode)
            try await world.deliver()
            let wake = try await world.leaseOne(on: StoreWorld.pushLane)
            let fault = Outcome.misconfigured(reason: .badCredential, scope: .subscription)
            let settled = try await world.settle(wake, fault, on: StoreWorld.pushLane)
            #expect(settled.laneDevices == 1 && settled.settlement.device == .none)
            guard case .retry(_, .devicePaced) = settled.settlement.wake else {
                throw Unexpected("not tried again: \(settled.settlement.wake)")
            }
        },
        ConformanceCase("an endpoint has one owner, and an equal text elsewhere is another thing") { world in
            let device = try await world.subscribed()
            var other = try await world.subscription()
            other.profile = try await world.profile("bob")
            other.installID = "bob's"
            other.signedInAtMilliseconds += 1
            let moved = try await world.created(other)
            #expect(try await world.store.device(device.row) == nil && moved.state == .pending)
            // A device token with the octets of an endpoint is no claim to it.
            let endpoint = Array("https://push.example.org/one".utf8)
            var token = try world.registration(try await world.profile("eve"), install: "eve's")
            token.address = .apns(try DeviceToken(octets: endpoint))
            token.signedInAtMilliseconds += 2
            _ = try await world.created(token)
            #expect(try await world.store.device(moved.row) != nil)
        },
        ConformanceCase("a browser is not woken for what is silent") { world in
            let device = try await world.subscribed { $0.os = .browser }
            try await world.expectVerified(device, code: try await world.verification().verificationCode)
            try await world.deliver(alert: .silent)
            #expect(try await world.unsettled(device).isEmpty)
            try await world.deliver()
            #expect(try await world.unsettled(device).map(\.mode) == [.privateAlert])
        },
    ]

    @Sendable private static func codes(_ world: StoreWorld) async throws {
        let device = try await world.subscribed()
        let code = try await world.verification().verificationCode
        let stranger = try await world.profile("eve")
        guard case .notFound = try await world.store.verify(device.row, of: stranger, code: code ?? "") else {
            throw Unexpected("a stranger knows the device")
        }
        for _ in 0..<5 {
            guard case .wrongCode = try await world.verify(device, "wrong") else { throw Unexpected("not wrong") }
        }
        guard case .wrongCode = try await world.verify(device, code) else { throw Unexpected("a sixth guess counts") }
        world.advance(by: .seconds(31))
        _ = try await world.existing(try await world.subscription())
        let late = try await world.verification().verificationCode
        world.advance(by: .seconds(600))
        guard case .wrongCode = try await world.verify(device, late) else { throw Unexpected("a late code counts") }
    }
}

extension StoreWorld {
    static let pushLane = LaneKey(.unifiedPush(origin: "https://push.example.org"), credential: "pair")

    /// A registration of a subscription that must prove itself, for a case to change.
    fileprivate func subscription(endpoint: String = "one", key: UInt8 = 4) async throws -> DeviceRegistration {
        var request = try registration(try await profile())
        request.lane = Self.pushLane
        request.address = .push(
            try #require(
                PushSubscription(
                    endpoint: "https://push.example.org/\(endpoint)", publicKey: [UInt8](repeating: key, count: 65),
                    secret: [UInt8](repeating: 7, count: 16))))
        request.os = .android
        request.mustProveItself = true
        return request
    }

    fileprivate func subscribed(_ change: (inout DeviceRegistration) -> Void = { _ in }) async throws -> Device {
        var request = try await subscription()
        change(&request)
        return try await created(request)
    }

    /// The verification wake that is due.
    fileprivate func verification() async throws -> LeasedWake {
        let wake = try await leaseOne(on: Self.pushLane)
        #expect(wake.reason == .verify && wake.delivery == nil && wake.mode == .privateAlert)
        return wake
    }

    fileprivate func verify(_ device: Device, _ code: String?) async throws -> VerificationResult {
        try await store.verify(device.row, of: device.profile, code: code ?? "")
    }

    fileprivate func expectVerified(_ device: Device, code: String?) async throws {
        guard case .verified(let verified) = try await verify(device, code) else {
            throw Unexpected("the code was not taken")
        }
        #expect(verified.row == device.row && verified.state == .active)
        guard case .notFound = try await verify(device, code) else { throw Unexpected("a code counts twice") }
    }
}

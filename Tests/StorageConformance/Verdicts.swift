import ReveilleCore
import ReveilleStorage
import Testing

extension StorageConformance {
    static let verdicts: [ConformanceCase] = [
        ConformanceCase("gone disables at once when the lane had an accepted send in the hour before", believed),
        ConformanceCase("gone without an accepted send before it quarantines, and wakes are held") { world in
            let device = try await world.device()
            try await world.deliver(series: "a")
            try await world.deliver(series: "b")
            let wakes = try await world.lease()
            try await world.settle(wakes[0], .gone)
            #expect(try await world.reload(device).state == .quarantined)
            try await world.deliver(alert: .silent)
            let held = try await world.unsettled(device)
            #expect(held.count == 3 && held.allSatisfy { $0.state == .held && $0.hold == .deviceQuarantined })
            #expect(world.intake.seen.revoked == [wakes[1].wake])
            // What comes of the one in flight still counts.
            try await world.settle(wakes[1], .unavailable)
            #expect(try await world.record(wakes[1].wake).state == .held)
        },
        ConformanceCase("a later accepted send alone confirms nothing") { world in
            let device = try await world.device()
            try await world.deliver()
            try await world.settle(try await world.leaseOne(), .gone)
            try await world.proveLane()
            #expect(try await world.reload(device).state == .quarantined)
        },
        ConformanceCase("an accepted send over an hour ago is no evidence") { world in
            try await world.proveLane()
            world.advance(by: .seconds(3_601))
            let device = try await world.device()
            try await world.deliver()
            try await world.settle(try await world.leaseOne(), .gone)
            #expect(try await world.reload(device).state == .quarantined)
        },
        ConformanceCase(
            "the probe of a quarantined device goes out as one; accepted, it releases the device", probeReleases),
        ConformanceCase("the probe of a quarantined device that is gone again disables it") { world in
            let device = try await world.device()
            try await world.deliver()
            try await world.settle(try await world.leaseOne(), .gone)
            try await world.proveLane()
            #expect(try await world.releaseProbes() == 1)
            #expect(try await world.releaseProbes() == 0)
            let probe = try await world.leaseOne()
            try await world.settle(probe, .gone)
            #expect(try await world.reload(device).state == .needsRegistration)
            #expect(try await world.record(probe.wake).state == .failed)
        },
        ConformanceCase("while nothing is accepted a probe goes with a new visible wake every six hours", sixHours),
        ConformanceCase("gone on three different days disables") { world in
            let device = try await world.device()
            for day in 0..<3 {
                #expect(try await world.reload(device).state == (day == 0 ? .active : .quarantined))
                try await world.deliver(series: "\(day)")
                try await world.settle(try await world.leaseOne(), .gone)
                world.advance(by: .seconds(24 * 3_600))
            }
            #expect(try await world.reload(device).state == .needsRegistration)
        },
        ConformanceCase("gone since before the registration is not believed") { world in
            try await world.proveLane()
            let device = try await world.device()
            try await world.deliver()
            let wake = try await world.leaseOne()
            try await world.settle(wake, .deviceGone(reason: .unregistered, sinceMilliseconds: world.now - 1))
            #expect(try await world.reload(device).state == .active)
            #expect(try await world.record(wake.wake).state == .waiting)
        },
        ConformanceCase("three refusals on different days quarantine, and a probe ends it", refusedOften),
        ConformanceCase(
            "a token that never worked is tried once in the other environment, and what works is kept", moved),
        ConformanceCase("a token that neither environment takes is gone") { world in
            try await world.proveLane()
            let device = try await world.device()
            try await world.deliver()
            let wrong = Outcome.wrongEnvironment(reason: .badToken)
            try await world.settle(try await world.leaseOne(), wrong)
            let other = try await world.leaseOne(on: StoreWorld.sandbox)
            try await world.settle(other, wrong, on: StoreWorld.sandbox)
            #expect(try await world.reload(device).state == .quarantined)
            #expect(try await world.unsettled(device).map(\.state) == [.held])
        },
        ConformanceCase("a token that worked once is not tried elsewhere") { world in
            let device = try await world.device()
            try await world.deliver()
            try await world.settle(try await world.leaseOne(), .accepted)
            try await world.deliver()
            try await world.settle(try await world.leaseOne(), .wrongEnvironment(reason: .badToken))
            #expect(try await world.reload(device).state == .needsRegistration)
            #expect(try await world.lease(on: StoreWorld.sandbox).isEmpty)
        },
        ConformanceCase("a lane disables two devices a day or a twentieth of them, whatever it is told", brake),
        ConformanceCase("gone disables every row of a token that installs share") { world in
            let first = try await world.shared("ann")
            let second = try await world.shared("bob")
            try await world.proveSharedLane()
            try await world.deliver("ann")
            try await world.settle(try await world.leaseOne(), .gone)
            #expect(try await world.reload(first).state == .needsRegistration)
            #expect(try await world.reload(second).state == .needsRegistration)
        },
        ConformanceCase("an admin's word enables a device again and gives it one wake for what it missed", enabled),
        ConformanceCase("an admin's word wakes a device only for categories that it asked for", enabledForCategories),
        ConformanceCase("counts of devices follow their states") { world in
            try await world.proveLane()
            try await world.device("a", token: 1)
            try await world.device("b", token: 2)
            try await world.deliver("a")
            try await world.settle(try await world.leaseOne(), .gone)
            world.advance(by: .seconds(3_601))
            try await world.deliver("b")
            try await world.settle(try await world.leaseOne(), .gone)
            let counts = try await world.store.deviceCounts()
            #expect(counts == DeviceCounts(active: 1, pending: 0, quarantined: 1, needsRegistration: 1))
        },
    ]

    @Sendable private static func believed(_ world: StoreWorld) async throws {
        try await world.proveLane()
        let device = try await world.device()
        try await world.deliver(series: "a")
        try await world.deliver(series: "b")
        let wakes = try await world.lease()
        try await world.deliver(series: "c")
        let third = try #require(try await world.unsettled(device).last)
        world.advance(by: .seconds(3_600))
        try await world.settle(wakes[0], .gone)
        let after = try await world.reload(device)
        #expect(after.state == .needsRegistration && !after.isEnabled && after.version == device.version + 1)
        #expect(after.lastFailure == .unregistered && after.lastFailureMilliseconds == world.now)
        #expect(
            try await world.states([wakes[0].wake, wakes[1].wake, third.row]) == [.failed, .cancelled, .cancelled])
        #expect(world.intake.seen.revoked == [wakes[1].wake])
        try await world.deliver(series: "d")
        #expect(try await world.unsettled(device).isEmpty)
    }

    @Sendable private static func probeReleases(_ world: StoreWorld) async throws {
        let device = try await world.device()
        let first = try await world.deliver(series: "a")
        try await world.settle(try await world.leaseOne(), .gone)
        let second = try await world.deliver(alert: .silent)
        let held = try await world.unsettled(device)
        #expect(try await world.lease().isEmpty)
        try await world.proveLane()
        world.intake.forget()
        #expect(try await world.releaseProbes() == 1)
        #expect(world.intake.seen.due == [StoreWorld.production: world.now])
        let probe = try await world.leaseOne()
        #expect(try await world.record(probe.wake).isProbe && probe.mode == .privateAlert)
        #expect(try await world.record(probe.wake).deliveries == [first, second])
        #expect(try await world.states(held.map(\.row)) == [.superseded, .merged])
        try await world.settle(probe, .accepted)
        #expect(try await world.reload(device).state == .active)
        try await world.deliver(series: "b")
        #expect(try await world.lease().count == 1)
    }

    @Sendable private static func sixHours(_ world: StoreWorld) async throws {
        let device = try await world.device()
        try await world.deliver(series: "0")
        try await world.settle(try await world.leaseOne(), .gone)
        try await world.deliver(alert: .silent)
        #expect(try await world.lease().isEmpty)
        try await world.deliver(series: "1")
        let probe = try await world.leaseOne()
        try await world.settle(probe, .gone)
        #expect(try await world.reload(device).state == .quarantined)
        world.advance(by: .seconds(6 * 3_600 - 1))
        try await world.deliver(series: "2")
        #expect(try await world.lease().isEmpty)
        world.advance(by: .seconds(1))
        try await world.deliver(series: "3")
        let next = try await world.leaseOne()
        #expect(try await world.record(next.wake).isProbe)
        #expect(next.standing == .unproven)
        #expect(try await world.unsettled(device).count == 1)
    }

    @Sendable private static func refusedOften(_ world: StoreWorld) async throws {
        let device = try await world.device()
        for day in 0..<3 {
            #expect(try await world.reload(device).state == .active)
            for number in 0..<(day == 2 ? 1 : 2) {
                try await world.deliver(series: "\(day) \(number)")
                try await world.settle(try await world.leaseOne(), .refusal)
            }
            if day < 2 { world.advance(by: .seconds(24 * 3_600)) }
        }
        #expect(try await world.reload(device).state == .quarantined)
        try await world.deliver(series: "probe")
        let probe = try await world.leaseOne()
        #expect(try await world.record(probe.wake).isProbe)
        try await world.settle(probe, .refusal)
        #expect(try await world.reload(device).state == .quarantined)
        try await world.deliver(series: "held")
        try await world.proveLane()
        // A refused probe is not followed by the next at every accepted send.
        #expect(try await world.releaseProbes() == 0)
        world.advance(by: .seconds(6 * 3_600))
        #expect(try await world.releaseProbes() == 1)
        try await world.settle(try await world.leaseOne(), .accepted)
        #expect(try await world.reload(device).state == .active)
    }

    @Sendable private static func moved(_ world: StoreWorld) async throws {
        let device = try await world.device()
        let delivery = try await world.deliver(series: "s")
        let first = try await world.leaseOne()
        try await world.deliver(series: "other")
        let second = try await world.leaseOne(token: 3)
        try await world.deliver(series: "waiting")
        try await world.settle(first, .wrongEnvironment(reason: .badToken))
        #expect(try await world.record(first.wake).state == .superseded)
        let elsewhere = try await world.leaseOne(on: StoreWorld.sandbox)
        #expect(elsewhere.wake != first.wake && elsewhere.delivery == delivery && elsewhere.collapse == first.collapse)
        try await world.settle(elsewhere, .accepted, on: StoreWorld.sandbox)
        let after = try await world.reload(device)
        #expect(after.lane == .apns(.sandbox) && after.row == device.row && after.state == .active)
        // What waited goes there too, and what was still under way speaks against nobody.
        try await world.settle(second, .wrongEnvironment(reason: .badToken))
        #expect(try await world.reload(device).state == .active)
        #expect(try await world.lease(on: StoreWorld.sandbox).count == 2)
        #expect(try await world.lease().isEmpty)
    }

    @Sendable private static func brake(_ world: StoreWorld) async throws {
        for (count, allowed) in [(1, 1), (3, 2), (5, 2), (50, 2), (100, 5)] {
            let lane = "brake-\(count)"
            var devices: [Device] = []
            for number in 0..<count {
                devices.append(
                    try await world.device(
                        "\(lane)-\(number)", octets: [UInt8(count), UInt8(number), 9], app: StoreWorld.mailApp))
            }
            try await world.deliver("\(lane)-0")
            for wake in try await world.lease() { try await world.settle(wake, .accepted) }
            for _ in 0..<2 {
                for number in 0..<count { try await world.deliver("\(lane)-\(number)") }
                for wake in try await world.lease(1_000) { try await world.settle(wake, .gone) }
            }
            var states: [DeviceState] = []
            for device in devices { states.append(try await world.reload(device).state) }
            #expect(states.filter { $0 == .needsRegistration }.count == allowed, "\(count) devices")
            #expect(states.filter { $0 == .quarantined }.count == count - allowed, "\(count) devices")
            #expect(
                try await world.store.releaseDeviceProbes(
                    StoreWorld.production, topic: "org.example.mail", limit: 1_000) == 0 || count == 1)
            for device in devices {
                _ = try await world.store.remove(device.row, of: device.profile)
            }
            world.advance(by: .seconds(2 * 24 * 3_600))
        }
    }

    @Sendable private static func enabled(_ world: StoreWorld) async throws {
        try await world.proveLane()
        let device = try await world.device()
        let old = try await world.deliver(series: "old", ttl: 60)
        try await world.settle(try await world.leaseOne(), .gone)
        let missed = [try await world.deliver(series: "a"), try await world.deliver(series: "b")]
        #expect(try await world.unsettled(device).isEmpty)
        world.advance(by: .seconds(61))
        #expect(try await world.store.enable(device.row))
        #expect(try await world.reload(device).state == .active)
        let wakes = try await world.unsettled(device)
        #expect(wakes.count == 1 && wakes.first?.deliveries == missed && !missed.contains(old))
        #expect(try await world.store.enable(device.row))
        #expect(try await world.unsettled(device).count == 1)
        #expect(try await world.store.enable(DeviceRow(9_999)) == false)
    }

    @Sendable private static func enabledForCategories(_ world: StoreWorld) async throws {
        try await world.proveLane()
        for hasAlarm in [false, true] {
            let name = "alarm-\(hasAlarm)"
            let device = try await world.device(name, token: hasAlarm ? 2 : 1) { $0.categories = .value(["alarm"]) }
            try await world.accept(world.post([name], category: "alarm", ttl: 60))
            try await world.settle(try await world.leaseOne(), .gone)
            world.advance(by: .seconds(61))
            let alarm = hasAlarm ? try await world.accept(world.post([name], category: "alarm")).deliveries : []
            try await world.accept(world.post([name], category: "message"))
            #expect(try await world.store.enable(device.row))
            #expect(try await world.reload(device).state == .active)
            #expect(try await world.unsettled(device).map(\.deliveries) == (hasAlarm ? [alarm] : []))
            for wake in try await world.lease() { try await world.settle(wake, .accepted) }
        }
    }
}

extension StoreWorld {
    func releaseProbes() async throws -> Int {
        try await store.releaseDeviceProbes(StoreWorld.production, topic: "org.example.app", limit: 10)
    }

    /// A device of an app that lets profiles share an install, with the key of the one install.
    func shared(_ name: String, token: UInt8 = 3, generation: Int64 = 1) async throws -> Device {
        try await device(name, token: token, install: "mac", app: StoreWorld.sharedApp) { request in
            request.installationKey = [UInt8](repeating: 5, count: 32)
            request.generation = generation
        }
    }

    func proveSharedLane() async throws {
        try await device("prover", token: 250, app: StoreWorld.sharedApp)
        try await deliver("prover")
        for wake in try await lease(token: 999) { try await settle(wake, .accepted) }
    }
}

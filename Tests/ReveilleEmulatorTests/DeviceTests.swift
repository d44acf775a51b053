import ReveilleEmulator
import ReveilleRuntime
import ReveilleTesting
import Testing

@Suite("A device shows what Apple delivers")
struct DeviceTests {
    private func alert(_ words: String) -> String { #"{"aps":{"alert":"\#(words)"}}"# }

    private func words(_ pushes: [DevicePush]) -> [String] {
        pushes.map { String(decoding: $0.payload, as: UTF8.self) }
    }

    @Test("a push replaces the one with the same collapse id, and no other", .timeLimit(.minutes(5)))
    func collapse() async throws {
        try await withApple { bench in
            let client = try await bench.connect()
            for (id, text) in [("a", "1"), ("b", "2"), (nil, "3"), ("a", "4"), (nil, "5")] {
                let push = bench.push.with {
                    $0.collapseID = id
                    $0.body = alert(text)
                }
                #expect(try await client.send(push).status == 200)
            }
            let screen = await bench.apple.screen(of: TestPush.token)
            #expect(words(screen) == ["2", "3", "4", "5"].map(alert))
            #expect(screen.map(\.replacedCount) == [0, 0, 1, 0])
            let counters = await bench.apple.device(TestPush.token)?.counters
            #expect(counters?.shown == 4)
            #expect(counters?.replaced == 1)
        }
    }

    @Test("the same push sent twice without a collapse id is shown twice", .timeLimit(.minutes(5)))
    func repeated() async throws {
        try await withApple { bench in
            let client = try await bench.connect()
            let push = bench.push.with { $0.id = TestPush.id }
            for _ in 0..<2 { #expect(try await client.send(push).status == 200) }
            let screen = await bench.apple.screen(of: TestPush.token)
            #expect(screen.map(\.apnsID) == [TestPush.id, TestPush.id])
        }
    }

    @Test("a background push reaches the app and not the screen", .timeLimit(.minutes(5)))
    func background() async throws {
        try await withApple { bench in
            let client = try await bench.connect()
            #expect(try await client.send(bench.push.background).status == 200)
            let device = try #require(await bench.apple.device(TestPush.token))
            #expect(device.screen.isEmpty)
            #expect(device.wakes.map(\.pushType) == [.background])
            #expect(device.counters.wakes == 1)
        }
    }

    @Test("the badge is what the last push that names it says", .timeLimit(.minutes(5)))
    func badge() async throws {
        try await withApple { bench in
            let client = try await bench.connect()
            for body in [#"{"aps":{"badge":3}}"#, alert("x")] {
                #expect(try await client.send(bench.push.with { $0.body = body }).status == 200)
            }
            #expect(await bench.apple.device(TestPush.token)?.badge == 3)
            #expect(try await client.send(bench.push.with { $0.body = #"{"aps":{"badge":0}}"# }).status == 200)
            #expect(await bench.apple.device(TestPush.token)?.badge == 0)
        }
    }

    // MARK: Offline

    /// Pushes for a device that is offline, and then online again after so many seconds.
    private func deliverLate(
        _ pushes: [(String, expiresIn: Int64?)], after seconds: Int
    ) async throws -> EmulatedDevice {
        try await withApple { bench in
            var device = EmulatedDevice(
                token: TestPush.token, environment: .production, bundleID: TestPush.bundleID)
            device.setOnline(false, at: bench.clock.now())
            await bench.apple.register(device)
            let client = try await bench.connect()
            for (text, life) in pushes {
                let push = bench.push.with {
                    $0.body = alert(text)
                    $0.expiration = life.map { String($0 == 0 ? 0 : bench.now + $0) }
                }
                #expect(try await client.send(push).status == 200)
            }
            #expect(await bench.apple.screen(of: TestPush.token).isEmpty)
            bench.clock.advance(by: .seconds(seconds))
            #expect(await bench.apple.setOnline(true, TestPush.token))
            return try #require(await bench.apple.device(TestPush.token))
        }
    }

    @Test("the newest push waits for a device that is offline", .timeLimit(.minutes(5)))
    func storesOne() async throws {
        let device = try await deliverLate([("1", 3600), ("2", 3600), ("3", nil)], after: 60)
        #expect(words(device.screen) == [alert("3")])
        #expect(device.stored == nil)
        #expect(device.counters.overwritten == 2)
        #expect(device.counters.accepted == 3)
    }

    @Test("a push that expires before the device is back is never shown", .timeLimit(.minutes(5)))
    func expires() async throws {
        let device = try await deliverLate([("1", 60)], after: 60)
        #expect(device.screen.isEmpty)
        #expect(device.counters.expired == 1)
    }

    @Test("a push that has a second left is shown", .timeLimit(.minutes(5)))
    func inTime() async throws {
        let device = try await deliverLate([("1", 60)], after: 59)
        #expect(words(device.screen) == [alert("1")])
    }

    @Test("a push with expiration 0 is not stored, and leaves the stored one alone", .timeLimit(.minutes(5)))
    func notStored() async throws {
        let device = try await deliverLate([("1", 600), ("2", 0)], after: 1)
        #expect(words(device.screen) == [alert("1")])
        #expect(device.counters.expired == 1)
    }

    @Test("without an expiration Apple stores for thirty days", .timeLimit(.minutes(5)))
    func thirtyDays() async throws {
        let early = try await deliverLate([("1", nil)], after: 30 * 86_400 - 1)
        #expect(words(early.screen) == [alert("1")])
        let late = try await deliverLate([("1", nil)], after: 30 * 86_400)
        #expect(late.screen.isEmpty)
    }

    @Test("what is stored dies with its token", .timeLimit(.minutes(5)))
    func orphan() async throws {
        try await withApple { bench in
            var device = EmulatedDevice(
                token: TestPush.token, environment: .production, bundleID: TestPush.bundleID)
            device.setOnline(false, at: bench.clock.now())
            await bench.apple.register(device)
            let client = try await bench.connect()
            #expect(try await client.send(bench.push).status == 200)
            await bench.apple.setRegistration(
                .unregistered(since: bench.clock.now()), of: TestPush.token)
            await bench.apple.setOnline(true, TestPush.token)
            let after = try #require(await bench.apple.device(TestPush.token))
            #expect(after.screen.isEmpty)
            #expect(after.counters.orphaned == 1)
        }
    }

    @Test("a screen keeps its newest two hundred")
    func screenIsBounded() async throws {
        try await withApple { bench in
            let client = try await bench.connectAuthenticated()
            let push = bench.push
            let count = EmulatedDevice.maximumOnScreen + 5
            var replies: [OneShot<Reply>] = []
            for number in 0..<count {
                replies.append(await client.start(push.with { $0.body = alert(String(number)) }))
            }
            for reply in replies { #expect(try await reply.wait().status == 200) }
            let screen = await bench.apple.screen(of: TestPush.token)
            #expect(screen.count == EmulatedDevice.maximumOnScreen)
            #expect(words(screen).last == alert(String(count - 1)))
            #expect(await bench.apple.device(TestPush.token)?.counters.shown == count)
        }
    }
}

@Suite("Apple knows which tokens are good")
struct TokenTests {
    private func reply(
        _ change: (inout EmulatedDevice, WallInstant) -> Void = { _, _ in },
        configure: (inout APNsEmulatorConfiguration, TestKey) -> Void = { _, _ in }
    ) async throws -> Reply {
        try await withApple(configure) { bench in
            var device = EmulatedDevice(
                token: TestPush.token, environment: .production, bundleID: TestPush.bundleID)
            change(&device, bench.clock.now())
            await bench.apple.register(device)
            let client = try await bench.connect()
            return try await client.send(bench.push).withoutIDs
        }
    }

    @Test("a registered token is taken")
    func registered() async throws {
        #expect(try await reply() == .answer(200))
    }

    @Test("a token of the other environment is a bad one")
    func otherEnvironment() async throws {
        let reply = try await reply { device, _ in device.environment = .sandbox }
        #expect(reply == .answer(400, #"{"reason":"BadDeviceToken"}"#))
    }

    @Test("a token of another app is not for this topic")
    func otherTopic() async throws {
        let reply = try await reply { device, _ in device.bundleID = "org.example.other" }
        #expect(reply == .answer(400, #"{"reason":"DeviceTokenNotForTopic"}"#))
    }

    @Test("a removed app answers 410 with the time in milliseconds")
    func unregistered() async throws {
        let reply = try await reply { device, now in
            device.registration = .unregistered(since: WallInstant(milliseconds: now.milliseconds - 1))
        }
        #expect(
            reply == .answer(410, #"{"reason":"Unregistered","timestamp":1799999999999}"#))
    }

    @Test("an expired token answers 410 with the time in milliseconds")
    func expired() async throws {
        let reply = try await reply { device, now in device.registration = .expired(since: now) }
        #expect(reply == .answer(410, #"{"reason":"ExpiredToken","timestamp":1800000000000}"#))
    }

    @Test("a token that dies later is still good")
    func diesLater() async throws {
        let reply = try await reply { device, now in
            device.registration = .unregistered(since: WallInstant(milliseconds: now.milliseconds + 1))
        }
        #expect(reply == .answer(200))
    }

    @Test("an unknown token is refused, adopted or let through, as configured", arguments: UnknownTokens.allCases)
    func unknown(_ treatment: UnknownTokens) async throws {
        try await withApple { configuration, _ in
            configuration.unknownTokens = treatment
        } _: { bench in
            let client = try await bench.connect()
            let reply = try await client.send(bench.push).withoutIDs
            let device = await bench.apple.device(TestPush.token)
            switch treatment {
            case .adopt:
                #expect(reply == .answer(200))
                #expect(device?.screen.count == 1)
            case .accept:
                #expect(reply == .answer(200))
                #expect(device == nil)
            case .refuse:
                #expect(reply == .answer(400, #"{"reason":"BadDeviceToken"}"#))
                #expect(device == nil)
            }
        }
    }

    @Test("an adopted token belongs to the environment and app of its first push")
    func adopted() async throws {
        try await withApple { configuration, _ in
            configuration.bundleIDs = nil
        } _: { bench in
            let production = try await bench.connect(.production)
            #expect(try await production.send(bench.push).status == 200)
            let sandbox = try await bench.connect(.sandbox)
            let other = try await sandbox.send(bench.push)
            #expect(other.withoutIDs == .answer(400, #"{"reason":"BadDeviceToken"}"#))
            let topic = try await production.send(bench.push.with { $0.topic = "org.example.b" })
            #expect(topic.withoutIDs == .answer(400, #"{"reason":"DeviceTokenNotForTopic"}"#))
        }
    }
}

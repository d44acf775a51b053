import ReveilleBytes
import ReveilleEmulator
import ReveilleHTTP2
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTLS
import ReveilleTesting
import Testing

@Suite("Connections to the emulated Apple", .timeLimit(.minutes(5)))
struct ConnectionTests {
    @Test("a right request is answered with 200 and its own id, and is on record byte by byte")
    func accepted() async throws {
        try await withApple { bench in
            let client = try await bench.connect()
            let push = bench.push.with {
                $0.id = TestPush.id
                $0.collapseID = "c"
                $0.expiration = "4000000000"
                $0.further = [("x-own", "1")]
            }
            let reply = try await client.send(push)
            #expect(reply == .response(.init(status: 200, body: "", apnsID: TestPush.id)))
            let seen = try #require(await bench.apple.seen().first)
            #expect(seen.headers.map(\.name) == push.headers.map(\.name))
            #expect(seen.headers.map(\.value) == push.headers.map(\.value))
            #expect(seen.body == Array(TestPush.body.utf8))
            #expect(seen.token == TestPush.token)
            #expect(seen.stream == 1)
            #expect(seen.connection == 1)
            #expect(seen.environment == .production)
            #expect(seen.receivedAt == bench.clock.now())
            #expect(seen.isAccepted)
            #expect(seen.answer == .response(status: 200, reason: nil))
            #expect(seen.push?.expiration == 4_000_000_000)
        }
    }

    @Test("without an id Apple makes one")
    func makesID() async throws {
        try await withApple { bench in
            let client = try await bench.connect()
            let first = try await client.send(bench.push).response
            let second = try await client.send(bench.push).response
            let ids = try [#require(first?.apnsID), #require(second?.apnsID)]
            #expect(ids.allSatisfy { UUIDText.decode($0) != nil && $0 == $0.lowercased() })
            #expect(ids[0] != ids[1])
            #expect(await bench.apple.seen().map(\.apnsID) == ids)
        }
    }

    @Test("a refusal carries the request's id too")
    func idOfRefusal() async throws {
        try await withApple { bench in
            let client = try await bench.connect()
            let reply = try await client.send(
                bench.push.with {
                    $0.id = TestPush.id
                    $0.priority = "7"
                })
            #expect(reply.response?.apnsID == TestPush.id)
        }
    }

    @Test("only the sandbox answers with apns-unique-id")
    func uniqueID() async throws {
        try await withApple { bench in
            let production = try await bench.connect(.production).send(bench.push).response
            #expect(production?.uniqueID == nil)
            let sandbox = try await bench.connect(.sandbox).send(bench.push.to("cdcd")).response
            #expect(sandbox.flatMap(\.uniqueID).flatMap { UUIDText.decode($0) } != nil)
        }
    }

    @Test("one stream until the first valid token, then the configured limit")
    func firstStream() async throws {
        try await withApple { configuration, _ in
            configuration.streamLimit = 7
        } _: { bench in
            let client = try await bench.connect()
            #expect(try await client.send(TestPush(nil)).status == 403)
            #expect(try await client.send(bench.push.with { $0.priority = "7" }).status == 400)
            try await client.waitForStreamLimit(7)
            let other = try await bench.connect()
            try await other.waitForStreamLimit(1)
        }
    }

    @Test("the stream limit moves at any time, to 0 and back")
    func movingLimit() async throws {
        try await withApple { bench in
            let client = try await bench.connectAuthenticated()
            try await client.waitForStreamLimit(APNsEmulatorConfiguration.defaultStreamLimit)
            #expect(await bench.apple.setStreamLimit(0) == 1)
            try await client.waitForStreamLimit(0)
            let waiting = await client.start(bench.push)
            #expect(await bench.apple.setStreamLimit(3) == 1)
            #expect(try await waiting.wait().status == 200)
            let late = try await bench.connectAuthenticated()
            try await late.waitForStreamLimit(3)
        }
    }

    @Test("a sender that offers something else than h2 gets no further than TLS")
    func otherProtocol() async throws {
        try await withApple { bench in
            let client = try await bench.connect(alpn: ["http/1.1"])
            _ = try await client.closed.wait()
            try await bench.apple.wait { $0.handshakesFailed == 1 }
            #expect(await bench.apple.counters().received == 0)
        }
    }

    @Test("a sender that offers nothing may speak HTTP/2 at once")
    func noProtocol() async throws {
        try await withApple { bench in
            let answer = try await bench.connect(alpn: []).send(bench.push)
            #expect(answer.status == 200)
        }
    }

    @Test("a sender that speaks HTTP/1.1 is cut off")
    func http1() async throws {
        try await withApple { bench in
            let end = OneShot<[UInt8]>()
            let address = try #require(bench.apple.address(of: .production))
            let context = try TLSContext(
                client: TLSClientConfiguration(
                    extraAuthorityPEM: bench.apple.authorityPEM, trustsSystemRoots: false))
            try await bench.loop.call {
                PlainExchange.begin(
                    address, "POST /3/device/ab HTTP/1.1\r\nHost: localhost\r\n\r\n", tls: context,
                    on: bench.loop, end)
            }
            _ = try await end.wait()
            try await bench.apple.wait { $0.protocolErrors == 1 && $0.connectionsOpen == 0 }
            #expect(await bench.apple.counters().received == 0)
        }
    }

    @Test("a sender that gives up before the answer is counted")
    func cancelled() async throws {
        try await withApple { bench in
            let client = try await bench.connectAuthenticated()
            await bench.apple.addFault(AppleFault(.stall(accepted: false)))
            let reply = await client.start(bench.push)
            try await bench.apple.wait { $0.inFlight == 1 }
            await client.cancelOldest()
            #expect(try await reply.wait() == .ended(.cancelled))
            try await bench.apple.wait { $0.cancelled == 1 && $0.inFlight == 0 }
            #expect(await bench.apple.seen().last?.answer == .cancelled)
        }
    }

    @Test("requests in flight are counted until their connection is lost")
    func lost() async throws {
        try await withApple { bench in
            let client = try await bench.connectAuthenticated()
            await bench.apple.addFault(AppleFault(.hold(accepted: true)))
            for _ in 0..<3 { _ = await client.start(bench.push) }
            try await bench.apple.wait { $0.inFlight == 3 }
            await client.close()
            try await bench.apple.wait { $0.lost == 3 && $0.inFlight == 0 && $0.connectionsOpen == 0 }
            let counters = await bench.apple.counters()
            #expect(counters.received == 4)
            #expect(counters.answered == 1)
            #expect(counters.accepted == 4)
            #expect(await bench.apple.seen(after: 1).allSatisfy { $0.answer == .connectionLost })
        }
    }

    @Test("a stopped emulator refuses connections, ends those it had, and stops once")
    func stops() async throws {
        try await withApple { bench in
            let client = try await bench.connectAuthenticated()
            let address = try #require(bench.apple.address(of: .production))
            await bench.apple.stop()
            _ = try await client.closed.wait()
            await bench.apple.stop()
            let late = try await PushClient(
                to: address, trusting: bench.apple.authorityPEM, on: bench.loop)
            #expect(try await late.closed.wait() == .connectFailed(.refused))
        }
    }

    @Test("listening stops and starts again at the same address")
    func listening() async throws {
        try await withApple { bench in
            let client = try await bench.connectAuthenticated()
            let address = bench.apple.address(of: .production)
            try await bench.apple.setListening(false)
            let refused = try await bench.connect()
            #expect(try await refused.closed.wait() == .connectFailed(.refused))
            #expect(try await client.send(bench.push).status == 200)
            try await bench.apple.setListening(true)
            #expect(bench.apple.address(of: .production) == address)
            #expect(try await bench.connect().send(bench.push).status == 200)
        }
    }

    @Test("an emulator starts once, and not on an address that is taken")
    func startErrors() async throws {
        try await withApple { bench in
            #expect(throws: EmulatorError(.wrongState)) { try bench.apple.start() }
            let address = try #require(bench.apple.address(of: .production))
            let second = try APNsEmulator(APNsEmulatorConfiguration(addresses: [.production: address]))
            #expect(throws: EmulatorError(.listenFailed, address.text)) { try second.start() }
            #expect(throws: EmulatorError(.certificateFailed)) {
                try APNsEmulator(APNsEmulatorConfiguration(certificateNames: ["not a name"]))
            }
        }
    }

    @Test("a thousand requests at once are answered one by one")
    func many() async throws {
        try await withApple { bench in
            let client = try await bench.connectAuthenticated()
            let push = bench.push.to("0102")
            var replies: [OneShot<Reply>] = []
            for _ in 0..<1000 { replies.append(await client.start(push)) }
            for reply in replies { #expect(try await reply.wait().status == 200) }
            let counters = await bench.apple.counters()
            #expect(counters.answers == [.init(200): 1001])
            #expect(counters.inFlight == 0)
        }
    }
}

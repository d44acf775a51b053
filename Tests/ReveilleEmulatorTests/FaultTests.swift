import ReveilleEmulator
import ReveilleHTTP2
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTesting
import Testing

@Suite("Faults strike as scripted", .timeLimit(.minutes(5)))
struct FaultTests {
    private static let everyRequest = AppleFault.Match(tokenPrefix: "ab")

    /// A fault that strikes the ordinary token only, so that a connection can authenticate with another.
    private func fault(_ action: AppleFaultAction, _ trigger: FaultTrigger = .always) -> AppleFault {
        AppleFault(action, match: Self.everyRequest, trigger: trigger)
    }

    /// What one request gets while a fault is in force, and what the emulator says afterwards.
    private func strike(
        _ action: AppleFaultAction
    ) async throws -> (reply: Reply, seen: SeenRequest, shown: Int, counters: AppleCounters) {
        try await withApple { bench in
            let client = try await bench.connectAuthenticated()
            await bench.apple.addFault(fault(action))
            let reply = try await client.send(bench.push)
            try await bench.apple.wait { $0.inFlight == 0 }
            let seen = try #require(await bench.apple.seen().last)
            let shown = await bench.apple.screen(of: TestPush.token).count
            return (reply.withoutIDs, seen, shown, await bench.apple.counters())
        }
    }

    // MARK: Answers

    @Test("each of Apple's answers can be given", arguments: AppleReason.allCases)
    func reasons(_ reason: AppleReason) async throws {
        let result = try await strike(.answer(ScriptedAnswer(reason)))
        #expect(result.reply == .answer(reason.status, #"{"reason":"\#(reason.rawValue)"}"#))
        #expect(result.shown == 0)
        #expect(!result.seen.isAccepted)
        #expect(result.seen.fault == "fault-1")
        #expect(result.counters.struck == 1)
        #expect(result.counters.answers[.init(reason.status, reason.rawValue)] == 1)
    }

    @Test("429 with Retry-After")
    func retryAfter() async throws {
        let result = try await strike(.answer(ScriptedAnswer(.tooManyRequests, retryAfter: "30")))
        #expect(result.reply.response?.retryAfter == "30")
        #expect(result.reply.status == 429)
    }

    @Test("410 with a time, absolute or from now")
    func timestamps() async throws {
        let absolute = try await strike(.answer(ScriptedAnswer(.unregistered, timestamp: .at(1234))))
        #expect(absolute.reply == .answer(410, #"{"reason":"Unregistered","timestamp":1234}"#))
        let offset = try await strike(.answer(ScriptedAnswer(.unregistered, timestamp: .offset(-5000))))
        #expect(offset.reply == .answer(410, #"{"reason":"Unregistered","timestamp":1799999995000}"#))
    }

    @Test("any status, reason and body")
    func anyAnswer() async throws {
        let teapot = try await strike(.answer(ScriptedAnswer(status: 418, reason: "NoCoffee")))
        #expect(teapot.reply == .answer(418, #"{"reason":"NoCoffee"}"#))
        let page = try await strike(.answer(ScriptedAnswer(status: 502, body: "<html>")))
        #expect(page.reply == .answer(502, "<html>"))
        let nothing = try await strike(.answer(ScriptedAnswer(status: 410)))
        #expect(nothing.reply == .answer(410))
    }

    @Test("a scripted 200 takes a push that is right")
    func scripted200() async throws {
        let result = try await strike(.answer(ScriptedAnswer(status: 200)))
        #expect(result.reply == .answer(200))
        #expect(result.shown == 1)
        #expect(result.counters.accepted == 2)
    }

    @Test("a scripted ExpiredProviderToken does not raise the stream limit, another answer does")
    func limitAfterScript() async throws {
        try await withApple { bench in
            let id = try #require(
                await bench.apple.addFault(AppleFault(.answer(ScriptedAnswer(.expiredProviderToken)))))
            let client = try await bench.connect()
            #expect(try await client.send(bench.push).status == 403)
            #expect(await client.streamLimit == 1)
            await bench.apple.removeFault(id)
            await bench.apple.addFault(AppleFault(.answer(ScriptedAnswer(.unregistered))))
            #expect(try await client.send(bench.push).status == 410)
            try await client.waitForStreamLimit(APNsEmulatorConfiguration.defaultStreamLimit)
        }
    }

    // MARK: Time

    @Test("a slow answer comes when its time has come")
    func delay() async throws {
        try await withApple(manualTimers: true) { bench in
            let client = try await bench.connectAuthenticated()
            await bench.apple.addFault(fault(.delay(milliseconds: 500)))
            let reply = await client.start(bench.push)
            try await bench.apple.wait { $0.inFlight == 1 }
            #expect(await bench.apple.screen(of: TestPush.token).count == 1)
            bench.clock.advance(by: .milliseconds(499))
            #expect(try await client.send(bench.push.to("00")).status == 200)
            #expect(reply.value == nil)
            bench.clock.advance(by: .milliseconds(1))
            #expect(try await reply.wait().status == 200)
        }
    }

    @Test("a scripted answer may be slow too")
    func slowScript() async throws {
        var answer = ScriptedAnswer(.internalServerError)
        answer.delayMilliseconds = 1
        let result = try await strike(.answer(answer))
        #expect(result.reply.status == 500)
    }

    @Test("held answers come when they are released, oldest first", arguments: [true, false])
    func hold(accepted: Bool) async throws {
        try await withApple { bench in
            let client = try await bench.connectAuthenticated()
            await bench.apple.addFault(fault(.hold(accepted: accepted)))
            var replies: [OneShot<Reply>] = []
            for number in 0..<3 {
                replies.append(await client.start(bench.push.to("abcd0\(number)")))
            }
            try await bench.apple.wait { $0.inFlight == 3 }
            #expect(await bench.apple.screen(of: "abcd00").count == (accepted ? 1 : 0))
            #expect(await bench.apple.releaseHeld(limit: 1) == 1)
            #expect(try await replies[0].wait().status == 200)
            #expect(await bench.apple.releaseHeld(token: "abcd02") == 1)
            #expect(try await replies[2].wait().status == 200)
            #expect(replies[1].value == nil)
            #expect(await bench.apple.releaseHeld() == 1)
            #expect(try await replies[1].wait().status == 200)
            #expect(await bench.apple.screen(of: "abcd00").count == 1)
            #expect(await bench.apple.pushes().count == 4)
        }
    }

    @Test("a scripted answer is held until it is released, whatever the rules say")
    func heldAnswer() async throws {
        try await withApple { bench in
            let client = try await bench.connectAuthenticated()
            let before = await bench.apple.counters()
            await bench.apple.addFault(fault(.holdAnswer(ScriptedAnswer(status: 400, reason: "PayloadEmpty"))))
            let reply = await client.start(bench.push)
            try await bench.apple.wait { $0.inFlight == 1 }
            await bench.apple.releaseHeld()
            #expect(try await reply.wait().withoutIDs == .answer(400, #"{"reason":"PayloadEmpty"}"#))
            #expect(await bench.apple.counters().accepted == before.accepted)
        }
    }

    @Test("a request that is held unjudged is judged when it is released")
    func holdUnjudged() async throws {
        try await withApple { bench in
            let client = try await bench.connectAuthenticated()
            await bench.apple.addFault(fault(.hold(accepted: false)))
            let reply = await client.start(bench.push.with { $0.priority = "7" })
            try await bench.apple.wait { $0.inFlight == 1 }
            #expect(await bench.apple.counters().refused == 0)
            await bench.apple.releaseHeld()
            #expect(try await reply.wait().status == 400)
            #expect(await bench.apple.seen().last?.refusal?.detail == .priorityIsUnknown)
        }
    }

    @Test("a stalled stream is never answered, others are", arguments: [true, false])
    func stall(accepted: Bool) async throws {
        try await withApple { bench in
            let client = try await bench.connectAuthenticated()
            await bench.apple.addFault(fault(.stall(accepted: accepted)))
            let stalled = await client.start(bench.push)
            #expect(try await client.send(bench.push.to("00")).status == 200)
            #expect(stalled.value == nil)
            #expect(await bench.apple.counters().inFlight == 1)
            #expect(await bench.apple.screen(of: TestPush.token).count == (accepted ? 1 : 0))
        }
    }

    // MARK: Streams

    @Test(
        "a stream can be reset with any code",
        arguments: [HTTP2ErrorCode.internalError, .cancel, .enhanceYourCalm, HTTP2ErrorCode(rawValue: 99)])
    func reset(_ code: HTTP2ErrorCode) async throws {
        let result = try await strike(.reset(code, accepted: false))
        #expect(result.reply == .ended(.reset(code)))
        #expect(result.seen.answer == .reset(code))
        #expect(result.counters.reset == 1)
        #expect(result.shown == 0)
    }

    @Test("a refused stream says that nothing was processed")
    func refused() async throws {
        let result = try await strike(.reset(.refusedStream, accepted: false))
        #expect(result.reply == .ended(.unprocessed))
        #expect(result.counters.reset == 1)
    }

    @Test("a push may be taken although its stream is reset")
    func resetAfterAcceptance() async throws {
        let result = try await strike(.reset(.internalError, accepted: true))
        #expect(result.shown == 1)
        #expect(result.seen.isAccepted)
    }

    @Test("the stream limit can change with an answer")
    func streamLimit() async throws {
        try await withApple { bench in
            let client = try await bench.connectAuthenticated()
            await bench.apple.addFault(fault(.streamLimit(2)))
            #expect(try await client.send(bench.push).status == 200)
            try await client.waitForStreamLimit(2)
        }
    }

    // MARK: Connections

    @Test("a dropped connection loses the answer", arguments: DropManner.allCases, [true, false])
    func drop(manner: DropManner, accepted: Bool) async throws {
        try await withApple { bench in
            let client = try await bench.connectAuthenticated()
            await bench.apple.addFault(fault(.dropConnection(manner, accepted: accepted)))
            #expect(try await client.send(bench.push) == .ended(.connectionLost))
            try await bench.apple.wait { $0.lost == 1 && $0.connectionsOpen == 0 }
            #expect(await bench.apple.screen(of: TestPush.token).count == (accepted ? 1 : 0))
            #expect(await bench.apple.seen().last?.answer == .connectionLost)
        }
    }

    @Test("a half-closed connection ends for reading and answers nothing more")
    func halfClose() async throws {
        try await withApple { bench in
            let client = try await bench.connect(closesAtEnd: false)
            #expect(try await client.send(bench.push.to("00")).status == 200)
            await bench.apple.addFault(fault(.halfClose(accepted: false)))
            let reply = await client.start(bench.push)
            try await client.waitForEnd()
            #expect(reply.value == nil)
            #expect(await bench.apple.counters().inFlight == 1)
            #expect(await bench.apple.counters().connectionsOpen == 1)
            await client.close()
            #expect(try await reply.wait() == .ended(.connectionLost))
            try await bench.apple.wait { $0.lost == 1 }
        }
    }

    @Test("a silent connection does not even answer PING, and stays open")
    func silence() async throws {
        try await withApple { bench in
            let client = try await bench.connectAuthenticated()
            try await client.ping().wait()
            await bench.apple.addFault(fault(.silence(accepted: true)))
            let reply = await client.start(bench.push)
            try await bench.apple.wait { $0.inFlight == 1 }
            let ping = try await client.ping()
            let other = try await bench.connectAuthenticated()
            #expect(try await other.send(bench.push.to("01")).status == 200)
            #expect(ping.value == nil)
            #expect(reply.value == nil)
            #expect(await bench.apple.counters().connectionsOpen == 2)
        }
    }

    @Test("connections end, half-close and fall silent on command too")
    func onCommand() async throws {
        try await withApple { bench in
            let client = try await bench.connectAuthenticated()
            let other = try await bench.connectAuthenticated()
            #expect(await bench.apple.dropConnections(.close, connection: 1) == 1)
            _ = try await client.closed.wait()
            #expect(try await other.send(bench.push).status == 200)
            #expect(await bench.apple.halfCloseConnections() == 1)
            _ = try await other.closed.wait()
            let third = try await bench.connectAuthenticated()
            #expect(await bench.apple.silenceConnections() == 1)
            #expect(await bench.apple.silenceConnections() == 0)
            let ping = try await third.ping()
            #expect(try await bench.connect().send(bench.push).status == 200)
            #expect(ping.value == nil)
        }
    }

    @Test("a connection can be refused before TLS", arguments: DropManner.allCases)
    func refuseConnection(manner: DropManner) async throws {
        try await withApple { bench in
            await bench.apple.addFault(AppleFault(.refuseConnection(manner), trigger: .once))
            let client = try await bench.connect()
            let reason = try await client.closed.wait()
            #expect(!reason.bytesMayHaveLeft)
            try await bench.apple.wait { $0.connectionsRefused == 1 }
            #expect(try await bench.connect().send(bench.push).status == 200)
        }
    }

    @Test("TLS can be refused")
    func refuseTLS() async throws {
        try await withApple { bench in
            await bench.apple.addFault(AppleFault(.refuseTLS, trigger: .once))
            let client = try await bench.connect()
            guard case .tlsFailed = try await client.closed.wait() else {
                Issue.record("the client did not hear of TLS")
                return
            }
            #expect(try await bench.connect().send(bench.push).status == 200)
        }
    }

    @Test("a connection can be left without a word")
    func stallTLS() async throws {
        try await withApple { bench in
            await bench.apple.addFault(AppleFault(.stallTLS, trigger: .once))
            let client = try await bench.connect()
            try await bench.apple.wait { $0.connectionsRefused == 1 }
            #expect(try await bench.connect().send(bench.push).status == 200)
            #expect(client.closed.value == nil)
        }
    }

    @Test("connection faults can be for one environment")
    func environmentOfConnections() async throws {
        try await withApple { bench in
            await bench.apple.addFault(
                AppleFault(.refuseConnection(.reset), match: .init(environment: .sandbox)))
            #expect(try await bench.connect(.production).send(bench.push).status == 200)
            let sandbox = try await bench.connect(.sandbox)
            _ = try await sandbox.closed.wait()
            #expect(await bench.apple.counters().connectionsRefused == 1)
        }
    }
}

import ReveilleInbox
import ReveilleJSON
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTesting
import Testing

@Suite struct LimitTests {
    @Test("a producer that sends too much gets 429 with the time to wait, and others are not slowed")
    func producer() async throws {
        var limits = InboxLimits.generous
        limits.producer = RateLimit(perMinute: 6, burst: 3)
        try await HomeServer.with(limits: limits) { server in
            let token = try await server.producerToken("loud")
            let other = try await server.producerToken("quiet")
            for _ in 0..<3 { try await server.notify(token: token) }
            let refused = await server.send(
                "POST", "/api/v1/notifications", token: token, json: ["recipients": ["a"], "category": "c"])
            expectProblem(refused, 429, "rate_limited")
            #expect(refused.fields["retry-after"] == "10")
            try await server.notify(token: other)
            server.clock.advance(by: .seconds(10))
            try await server.notify(token: token)
        }
    }

    @Test("a profile with all its tokens and devices has one limit")
    func profile() async throws {
        var limits = InboxLimits.generous
        limits.profile = RateLimit(perMinute: 60, burst: 4)
        try await HomeServer.with(limits: limits) { server in
            let first = try await server.profileToken()
            let second = try await server.profileToken()
            let other = try await server.profileToken("bert")
            let device = try await server.registered(token: first)
            for token in [first, second, device.displayToken] {
                #expect(await server.send("GET", "/api/v1/notifications", token: token).status == 200)
            }
            for token in [first, second, device.displayToken] {
                let refused = await server.send("GET", "/api/v1/notifications", token: token)
                expectProblem(refused, 429, "rate_limited")
                #expect(refused.fields["retry-after"] == "1")
            }
            #expect(await server.send("GET", "/api/v1/notifications", token: other).status == 200)
        }
    }

    @Test("registrations and verification codes have a narrower limit of their own")
    func registration() async throws {
        var limits = InboxLimits.generous
        limits.registration = RateLimit(perMinute: 1, burst: 2)
        try await HomeServer.with(limits: limits) { server in
            let token = try await server.profileToken()
            let device = try await server.registered(token: token)
            let path = "/api/v1/devices/push/\(device.id)/verify"
            _ = await server.send("POST", path, token: token, json: ["code": "000000"])
            expectProblem(
                await server.send("POST", path, token: token, json: ["code": "000001"]), 429, "rate_limited")
            expectProblem(await server.register(token: token), 429, "rate_limited")
            #expect(await server.send("GET", "/api/v1/notifications", token: token).status == 200)
        }
    }

    @Test("wrong credentials from one address run into 429; other addresses and valid credentials do not")
    func failedCredentials() async throws {
        var limits = InboxLimits.generous
        limits.failedCredentials = RateLimit(perMinute: 2, burst: 5)
        try await HomeServer.with(limits: limits) { server in
            let good = try await server.profileToken()
            let address = try #require(SocketAddress(octets: [192, 0, 2, 7], port: 1))
            let neighbour = try #require(SocketAddress(octets: [192, 0, 2, 8], port: 1))
            let path = "/api/v1/preferences"
            for number in 0..<5 {
                let answer = await server.send("GET", path, token: "rvu_guess\(number)", from: address)
                expectProblem(answer, 401, "invalid_credential")
            }
            for token in ["rvu_guess", "rvd_guess", "rvp_guess", "rva_guess", "other"] {
                let answer = await server.send("GET", path, token: token, from: address)
                expectProblem(answer, 429, "too_many_failed_credentials")
                #expect(answer.fields["retry-after"] == "30")
            }
            #expect(await server.send("GET", path, token: good, from: address).status == 200)
            #expect(await server.send("GET", path, from: address).status == 401)
            #expect(await server.send("GET", path, token: "rvu_guess", from: neighbour).status == 401)
            server.clock.advance(by: .seconds(30))
            #expect(await server.send("GET", path, token: "rvu_guess", from: address).status == 401)
        }
    }

    @Test("all addresses of an IPv6 network count as one, and a mapped IPv4 address as IPv4")
    func networks() {
        let first = ClientAddress(octets: [0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 1] + [0, 0, 0, 0, 0, 0, 0, 1])
        let same = ClientAddress(octets: [0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 1] + [9, 9, 9, 9, 9, 9, 9, 9])
        let other = ClientAddress(octets: [0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 2] + [0, 0, 0, 0, 0, 0, 0, 1])
        #expect(first == same)
        #expect(first != other)
        let mapped = ClientAddress(octets: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 192, 0, 2, 7])
        #expect(mapped == ClientAddress(octets: [192, 0, 2, 7]))
        #expect(mapped != ClientAddress(octets: [192, 0, 2, 8]))
    }
}

@Suite struct RateSketchTests {
    private static func sketch(_ limit: RateLimit, _ clock: ManualClock) -> RateSketch {
        RateSketch(limit, clock: clock, random: SeededRandom(seed: 7))
    }

    @Test("a bucket gives its burst at once, then grows back at its rate and no further than full")
    func bucket() {
        let clock = ManualClock()
        let sketch = Self.sketch(RateLimit(perSecond: 2, burst: 3), clock)
        #expect((0..<3).allSatisfy { _ in sketch.take("a") == nil })
        #expect(sketch.take("a") == 1)
        clock.advance(by: .milliseconds(499))
        #expect(sketch.take("a") == 1)
        clock.advance(by: .milliseconds(1))
        #expect(sketch.take("a") == nil)
        #expect(sketch.take("a") == 1)
        clock.advance(by: .seconds(3_600))
        #expect((0..<3).allSatisfy { _ in sketch.take("a") == nil })
        #expect(sketch.take("a") == 1)
    }

    @Test("a refusal takes nothing, and says how long to wait")
    func waiting() {
        let clock = ManualClock()
        let sketch = Self.sketch(RateLimit(perMinute: 1, burst: 1), clock)
        #expect(sketch.take("a") == nil)
        for _ in 0..<100 { #expect(sketch.take("a") == 60) }
        clock.advance(by: .seconds(59))
        #expect(sketch.take("a") == 1)
        clock.advance(by: .seconds(1))
        #expect(sketch.take("a") == nil)
    }

    @Test("a flood of other keys neither frees nor slows a key")
    func flood() {
        let clock = ManualClock()
        let sketch = Self.sketch(RateLimit(perMinute: 1, burst: 10), clock)
        for _ in 0..<10 { #expect(sketch.take("limited") == nil) }
        for number in 0..<20_000 { _ = sketch.take(number) }
        #expect(sketch.take("limited") != nil)
        #expect(sketch.take("fresh") == nil)
    }

    @Test("the ends of the clock and the largest limits do not overflow")
    func extremes() {
        let late = ManualClock(monotonic: MonotonicInstant(nanoseconds: .max - 5))
        #expect(Self.sketch(RateLimit(perMinute: 1, burst: .max), late).take("a") == nil)
        let early = ManualClock(monotonic: MonotonicInstant(nanoseconds: 0))
        let sketch = Self.sketch(RateLimit(perSecond: .max, burst: 1), early)
        #expect(sketch.take("a") == nil)
        #expect(sketch.take("a") == 1)
    }
}

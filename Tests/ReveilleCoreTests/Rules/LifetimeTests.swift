import ReveilleCore
import Testing

@Suite("Lives")
struct LifetimeTests {
    @Test(
        "a visible wake lives its ttl or a day, a silent one an hour at most",
        arguments: [
            (Alert.visible, nil, Int64(86_400)), (.visible, 60, 60), (.visible, 3_600, 3_600),
            (.visible, 28 * 86_400, 28 * 86_400), (.silent, nil, 3_600), (.silent, 60, 60), (.silent, 86_400, 3_600),
            (.visible, 0, 60), (.visible, -5, 60), (.visible, .max, 28 * 86_400), (.silent, .max, 3_600),
        ] as [(Alert, Int64?, Int64)])
    func wakeExpiry(alert: Alert, ttl: Int64?, life: Int64) {
        let now: Int64 = 1_767_225_600_000
        #expect(Lifetime.wakeExpiry(alert: alert, ttlSeconds: ttl, nowMilliseconds: now) == now + life * 1_000)
    }

    @Test("a catch-up wake lives as long as its deliveries, and an hour at least")
    func catchUp() {
        #expect(Lifetime.catchUpExpiry(longestLife: 10_000_000, nowMilliseconds: 1_000) == 10_000_000)
        #expect(Lifetime.catchUpExpiry(longestLife: 5_000, nowMilliseconds: 1_000) == 3_601_000)
    }
}

@Suite("Probes of a paused lane")
struct LaneBackoffTests {
    @Test(
        "they come after 1, 2, 4 … 15 minutes",
        arguments: [(Int64(0), Int64(1)), (1, 1), (2, 2), (3, 4), (4, 8), (5, 15), (6, 15), (100, 15), (.max, 15)])
    func delays(failures: Int64, minutes: Int64) {
        #expect(LaneBackoff.probeDelayMilliseconds(failures: failures) == minutes * 60_000)
    }
}

import ReveilleCore
import Testing

@Suite("Quarantine and brake")
struct BrakeTests {
    private static let day: Int64 = 86_400_000
    private static let start = 20_000 * day + 43_200_000

    /// A lane's devices as a store would keep them, with only what the rule reads.
    private struct Registry {
        var evidence: [DeviceEvidence]
        var states: [DeviceState]
        var lastAccepted: Int64?
        var disabledOnDay: [Int64: Int64] = [:]

        init(count: Int) {
            evidence = Array(repeating: .none, count: count)
            states = Array(repeating: .active, count: count)
        }

        /// The provider calls every device that is left gone, one a millisecond.
        mutating func everyoneIsGone(from start: Int64) {
            for index in states.indices where states[index] != .needsRegistration {
                let now = start + Int64(index)
                let today = Brake.day(ofMilliseconds: now)
                let settlement = Settlement.decide(
                    .deviceGone(reason: ProviderReason("Unregistered"), sinceMilliseconds: nil),
                    wake: WakeFacts(
                        state: .leased, leaseMatches: true, deviceVersionMatches: true, tokenMatches: true,
                        sentToDeviceEnvironment: true, startedAtMilliseconds: now, failures: 0,
                        renewedCredentialBefore: false, isProbe: false,
                        expiresAtMilliseconds: .max),
                    device: DeviceFacts(
                        state: states[index], registeredAtMilliseconds: 0, environmentProven: true,
                        otherEnvironmentTried: false, evidence: evidence[index]),
                    lane: LaneFacts(
                        lastAcceptedMilliseconds: lastAccepted,
                        devices: Int64(states.count { $0 != .needsRegistration }),
                        disabledToday: disabledOnDay[today, default: 0]),
                    nowMilliseconds: now, unit: 0.5)
                switch settlement.device {
                case .disable(_, let evidence):
                    self.evidence[index] = evidence
                    states[index] = .needsRegistration
                    disabledOnDay[today, default: 0] += 1
                case .quarantine(_, let evidence):
                    self.evidence[index] = evidence
                    states[index] = .quarantined
                case .none, .succeeded, .noteRefusal:
                    Issue.record("a gone neither quarantined nor disabled")
                }
            }
        }

        var disabled: Int { states.count { $0 == .needsRegistration } }
    }

    @Test(
        "without an accepted send nothing is disabled for two days, then a bounded share a day",
        arguments: [(1, 1), (3, 2), (5, 2), (50, 2), (5_000, 250)])
    func wrongKey(devices: Int, limit: Int) {
        var registry = Registry(count: devices)
        for day in 0..<2 {
            registry.everyoneIsGone(from: Self.start + Int64(day) * Self.day)
            #expect(registry.disabled == 0)
            #expect(registry.states.allSatisfy { $0 == .quarantined })
        }
        registry.everyoneIsGone(from: Self.start + 2 * Self.day)
        #expect(registry.disabled <= limit && registry.disabled >= 1)
        #expect(registry.disabled == min(limit, devices) || devices == 5_000)
    }

    @Test(
        "with an accepted send in the hour before, a bounded share is disabled and the rest quarantined",
        arguments: [(1, 1), (3, 2), (5, 2), (50, 2), (5_000, 250)])
    func provenLane(devices: Int, limit: Int) {
        var registry = Registry(count: devices)
        registry.lastAccepted = Self.start - 60_000
        registry.everyoneIsGone(from: Self.start)
        // The share is of the devices that are left, so it shrinks a little while they go.
        #expect(registry.disabled <= limit && registry.disabled >= limit * 9 / 10)
        #expect(registry.states.count { $0 == .quarantined } == devices - registry.disabled)
        let first = registry.disabled
        registry.lastAccepted = Self.start + Self.day - 60_000
        registry.everyoneIsGone(from: Self.start + Self.day)
        #expect(registry.disabled <= 2 * limit)
        #expect(devices <= limit || registry.disabled > first)
    }

    @Test("an accepted send that comes later confirms no earlier gone")
    func laterEvidence() {
        var registry = Registry(count: 5)
        registry.everyoneIsGone(from: Self.start)
        registry.lastAccepted = Self.start + 10_000
        #expect(registry.disabled == 0 && registry.states.allSatisfy { $0 == .quarantined })
        registry.everyoneIsGone(from: Self.start + 20_000)
        #expect(registry.disabled == 2)
    }

    @Test(
        "the daily limit is 5 %, and two at least",
        arguments: [(Int64(0), Int64(2)), (1, 2), (3, 2), (5, 2), (50, 2), (59, 2), (60, 3), (100, 5), (5_000, 250)])
    func limits(devices: Int64, limit: Int64) {
        #expect(Brake.dailyLimit(devices: devices) == limit)
    }

    @Test("three days must differ: many answers of one day are one")
    func daysDiffer() {
        let lane = LaneFacts(lastAcceptedMilliseconds: nil, devices: 1, disabledToday: 0)
        for (days, verdict) in [
            ([], Brake.Verdict.quarantine), ([1], .quarantine), ([1, 2], .quarantine), ([1, 2, 3], .disable),
        ] as [([Int64], Brake.Verdict)] {
            let evidence = DeviceEvidence(goneDays: days, refusedDays: [1, 2, 3])
            #expect(Brake.judge(lane: lane, evidence: evidence, nowMilliseconds: Self.start) == verdict)
        }
    }

    @Test(
        "the window is the hour before",
        arguments: [
            (Int64(0), Brake.Verdict.disable), (3_600_000, .disable), (3_600_001, .quarantine), (-1, .quarantine),
        ])
    func window(age: Int64, verdict: Brake.Verdict) {
        let lane = LaneFacts(lastAcceptedMilliseconds: Self.start - age, devices: 1, disabledToday: 0)
        #expect(Brake.judge(lane: lane, evidence: .none, nowMilliseconds: Self.start) == verdict)
    }

    @Test("after an accepted send a probe goes unless the brake is used up; with a new wake every six hours")
    func probes() {
        let fresh = LaneFacts(lastAcceptedMilliseconds: nil, devices: 50, disabledToday: 1)
        let braked = LaneFacts(lastAcceptedMilliseconds: nil, devices: 50, disabledToday: 2)
        func may(_ accepted: Bool, _ lane: LaneFacts, ago: Int64?) -> Bool {
            Brake.mayProbe(
                afterAcceptedSend: accepted, lane: lane, lastProbe: ago.map { Self.start - $0 },
                nowMilliseconds: Self.start)
        }
        #expect(may(true, fresh, ago: 1) && !may(true, braked, ago: nil))
        #expect(may(false, fresh, ago: nil) && may(false, braked, ago: nil))
        #expect(!may(false, fresh, ago: 6 * 3_600_000 - 1) && may(false, fresh, ago: 6 * 3_600_000))
        // A wall clock that went back must not silence a device for longer than the interval.
        #expect(may(false, fresh, ago: -1))
    }

    @Test("days are counted in UTC, before 1970 too")
    func days() {
        let table: [(Int64, Int64)] = [
            (0, 0), (86_399_999, 0), (86_400_000, 1), (-1, -1), (-86_400_000, -1), (-86_400_001, -2),
        ]
        for (milliseconds, day) in table { #expect(Brake.day(ofMilliseconds: milliseconds) == day) }
    }
}

import ReveilleCore
import ReveilleDispatcher
import ReveilleStorage
import ReveilleTelemetry
import ReveilleTesting
import Testing

@Suite("Pacing")
struct LanePacingTests {
    @Test("throttling of one device holds that device's wakes only, and they go back until its time")
    func devicePaced() throws {
        let rig = LaneRig()
        rig.take([rig.wake(1, device: 5), rig.wake(2, device: 5), rig.wake(3, device: 6)])
        #expect(rig.pull() != nil)
        try rig.end(1, .retry(reason: LaneRig.reason, after: .devicePaced(seconds: 60)), status: 429)
        #expect(rig.pullAll() == [3])
        let back = try rig.givenBack()
        let due = (rig.now.wall + 60_000 + 999) / 1_000 * 1_000
        #expect(back.rows == [2] && back.reason == .notBefore(milliseconds: due))
        rig.take([rig.wake(4, device: 5), rig.wake(5, device: 6)])
        #expect(rig.pullAll() == [5])
        #expect(try rig.givenBack().rows == [4])
        rig.advance(milliseconds: 60_000)
        rig.take([rig.wake(6, device: 5)])
        #expect(rig.pullAll() == [6])
        #expect(rig.health.state == .working)
    }

    @Test("short throttling of the lane stops it and keeps its wakes")
    func shortPace() throws {
        let rig = LaneRig()
        rig.take([rig.wake(1), rig.wake(2)])
        #expect(rig.pull() != nil)
        try rig.end(1, .retry(reason: LaneRig.reason, after: .lanePaced(seconds: 5)), status: 503)
        #expect(rig.pull() == nil)
        #expect(rig.health.state == .paced && rig.health.unsent == 1)
        #expect(!rig.isAsked(.giveBack))
        let signals = rig.sender.signals
        rig.advance(milliseconds: 4_999)
        #expect(rig.pull() == nil)
        #expect(rig.sender.signals == signals)
        rig.advance(milliseconds: 1)
        try rig.answer(.verify, .verified(unsendable: []))
        #expect(rig.sender.signals == signals + 1)
        #expect(rig.pullAll() == [2])
    }

    @Test("long throttling of the lane gives its wakes back and leases nothing until it ends")
    func longPace() throws {
        let rig = LaneRig()
        rig.take([rig.wake(1), rig.wake(2)])
        #expect(rig.pull() != nil)
        try rig.end(1, .retry(reason: LaneRig.reason, after: .lanePaced(seconds: 1_200)), status: 429)
        let back = try rig.givenBack()
        #expect(back.rows == [2] && back.reason == .waiting)
        #expect(rig.mailbox.reserve(upTo: 1) == nil && rig.health.capacity == 0)
        rig.mailbox.noteDue(rig.now.wall)
        rig.turn()
        #expect(!rig.isAsked(.lease))
        rig.take([rig.wake(3)])
        #expect(try rig.givenBack().rows == [3])
        rig.advance(milliseconds: 1_200_000)
        #expect(rig.isAsked(.lease) && rig.health.capacity == 1_024)
    }

    @Test("a longer throttling is not shortened by a later, shorter one")
    func longestCounts() throws {
        let rig = LaneRig()
        rig.take([rig.wake(1), rig.wake(2), rig.wake(3)])
        #expect(rig.pullAll() == [1, 2, 3])
        try rig.end(1, .retry(reason: LaneRig.reason, after: .lanePaced(seconds: 5)))
        try rig.end(2, .retry(reason: LaneRig.reason, after: .lanePaced(seconds: 1)))
        try rig.end(3, .retry(reason: LaneRig.reason, after: .lanePaced(seconds: -7)))
        rig.advance(milliseconds: 4_999)
        #expect(rig.health.state == .paced)
        rig.advance(milliseconds: 1)
        #expect(rig.health.state == .working)
    }

    @Test("somebody's wish for a probe sends one wake of a slowed lane, and its answer decides for the rest")
    func probe() throws {
        let rig = LaneRig()
        rig.take([rig.wake(1)])
        #expect(rig.pullAll() == [1])
        try rig.end(1, .retry(reason: LaneRig.reason, after: .lanePaced(seconds: 1_200)), status: 429)
        try rig.settle(due: { $0.endedAtMilliseconds + 1_200_000 })
        #expect(rig.health.lastFailure == LaneRig.reason && rig.health.lastFailureMilliseconds != nil)
        #expect(rig.registry.prometheusText().contains("reveille_lane_paced{lane=\"apns-production\"} 1"))
        rig.mailbox.noteSettingsChange()
        rig.turn()
        // No wake is due before the provider's time; the earliest goes all the same.
        try rig.answer(.leaseProbe, .probeLeased(rig.wake(1, failures: 1)))
        rig.take([rig.wake(2), rig.wake(3)])
        if rig.isAsked(.verify) { try rig.answer(.verify, .verified(unsendable: [])) }
        let tried = try #require(rig.pull())
        #expect(LaneRig.ids.wake(requestID: tried.requestID) == WakeRow(1))
        #expect(rig.pull() == nil, "a second wake left before the answer")
        // Still too much: the lane waits again, everything else goes back.
        try rig.end(1, .retry(reason: LaneRig.reason, after: .lanePaced(seconds: 1_200)), status: 429)
        #expect(rig.health.state == .paced && rig.pull() == nil)
        #expect(try rig.givenBack().rows == [2, 3])
        rig.mailbox.noteSettingsChange()
        rig.turn()
        try rig.refuse(.leaseProbe)
        rig.advance(milliseconds: 60_000)
        try rig.answer(.leaseProbe, .probeLeased(rig.wake(4)))
        rig.take([rig.wake(5), rig.wake(6)])
        if rig.isAsked(.verify) { try rig.answer(.verify, .verified(unsendable: [])) }
        #expect(rig.pullAll() == [4])
        try rig.end(4, .accepted, status: 200)
        #expect(rig.health.state == .working)
        #expect(rig.pullAll() == [5, 6])
        #expect(rig.registry.prometheusText().contains("reveille_lane_paced{lane=\"apns-production\"} 0"))
    }

    @Test("a probe of a lane that nobody slowed down, or that has nothing to send, changes nothing")
    func idleProbe() throws {
        let rig = LaneRig()
        rig.mailbox.noteSettingsChange()
        rig.turn()
        #expect(!rig.isAsked(.leaseProbe))
        rig.take([rig.wake(1)])
        #expect(rig.pullAll() == [1])
        try rig.end(1, .retry(reason: LaneRig.reason, after: .lanePaced(seconds: 1_200)), status: 429)
        rig.mailbox.noteSettingsChange()
        rig.turn()
        try rig.answer(.leaseProbe, .probeLeased(nil))
        #expect(!rig.isAsked(.leaseProbe) && rig.pull() == nil)
        rig.take([rig.wake(2), rig.wake(3)])
        #expect(rig.pullAll() == [2])
    }

    @Test("an absurd wish for patience ends some day", arguments: [Int64.max, .min])
    func absurd(seconds: Int64) throws {
        let rig = LaneRig()
        rig.take([rig.wake(1), rig.wake(2)])
        #expect(rig.pullAll() == [1, 2])
        try rig.end(1, .retry(reason: LaneRig.reason, after: .lanePaced(seconds: seconds)))
        try rig.end(2, .retry(reason: LaneRig.reason, after: .devicePaced(seconds: seconds)))
        rig.clock.advance(by: .seconds(RetrySchedule.longestFloorSeconds))
        rig.turn()
        #expect(rig.health.state == .working)
    }

    @Test("no more devices are remembered than the limit; their own wake still waits in the store")
    func boundedDevices() throws {
        var limits = LaneLimits()
        limits.largestPacedDevices = 2
        let rig = LaneRig(limits: limits)
        rig.take((1...3).map { rig.wake($0, device: $0) })
        for row in rig.pullAll() { try rig.end(row, .retry(reason: LaneRig.reason, after: .devicePaced(seconds: 60))) }
        rig.take((11...13).map { rig.wake($0, device: $0 - 10) })
        #expect(rig.pullAll() == [13])
        rig.advance(milliseconds: 60_000)
        rig.take([rig.wake(21, device: 3)])
        #expect(rig.pullAll() == [21])
        try rig.end(21, .retry(reason: LaneRig.reason, after: .devicePaced(seconds: 60)))
        rig.take([rig.wake(31, device: 3)])
        #expect(rig.pullAll() == [])
    }

    @Test("a sender that cannot connect gets its wakes taken back, and due ones once it may try again")
    func unreachable() throws {
        let rig = LaneRig()
        rig.take([rig.wake(1), rig.wake(2)])
        #expect(rig.pull() != nil)
        rig.driver.senderDidChange(.backingOff(reason: LaneRig.reason))
        rig.turn()
        #expect(try rig.givenBack().rows == [2])
        #expect(rig.health.state == .unreachable && rig.health.reason == LaneRig.reason)
        let signals = rig.sender.signals
        rig.mailbox.noteDue(rig.now.wall)
        rig.turn()
        #expect(!rig.isAsked(.lease))
        #expect(rig.sender.signals == signals)
        rig.driver.senderDidChange(.idle)
        rig.turn()
        try rig.answer(.lease, .leased([rig.wake(3)]))
        #expect(rig.sender.signals == signals + 1)
    }

    @Test("a retry of the store is leased when it is due")
    func retries() throws {
        let rig = LaneRig()
        rig.take([rig.wake(1)])
        #expect(rig.pullAll() == [1])
        try rig.end(1, .retry(reason: LaneRig.reason, after: .schedule(seconds: 0)), status: 500)
        try rig.settle(due: { $0.endedAtMilliseconds + 30_000 })
        rig.advance(milliseconds: 29_999)
        #expect(!rig.isAsked(.lease))
        rig.advance(milliseconds: 1)
        #expect(rig.isAsked(.lease))
    }

    @Test("a provider that lets no request begin shows in health and metrics; what the lane holds stays with it")
    func blocked() throws {
        let rig = LaneRig()
        let gauge = "reveille_lane_blocked{lane=\"apns-production\"} "
        rig.take([rig.wake(1)])
        rig.driver.senderDidChange(.blocked(reason: LaneRig.reason))
        rig.advance(milliseconds: 1)
        #expect(rig.health.state == .blocked && rig.health.reason == LaneRig.reason)
        #expect(rig.health.unsent == 1 && rig.health.capacity > 0)
        #expect(rig.registry.prometheusText().contains(gauge + "1"))
        rig.driver.senderDidChange(.ready)
        rig.advance(milliseconds: 1)
        #expect(rig.health.state == .working && rig.pullAll() == [1])
        #expect(rig.registry.prometheusText().contains(gauge + "0"))
    }
}

import ReveilleCore
import ReveilleDispatcher
import ReveilleStorage
import Testing

@Suite("Leases of a lane")
struct LaneLeaseTests {
    @Test("a lease must outlast the request's deadline by five seconds; a shorter one is renewed first")
    func outlastsDeadline() throws {
        let rig = LaneRig()
        rig.take([rig.wake(1, lease: 14_999), rig.wake(2, lease: 15_000)])
        #expect(rig.pullAll() == [2])
        guard case .renew(let rows, let token, let until)? = rig.host.takeCall(.renew) else {
            Issue.record("the short lease was not renewed")
            return
        }
        #expect(rows.contains(WakeRow(1)) && token == 1 && until == rig.now.steady + 60_000)
        rig.driver.handle(.renewed(lost: []))
        rig.turn()
        #expect(rig.pullAll() == [1])
    }

    @Test("a wake whose lease ran out in memory is not sent, and needs no giving back")
    func ranOut() {
        let rig = LaneRig()
        rig.take([rig.wake(1, lease: 800)])
        rig.advance(milliseconds: 800)
        #expect(rig.pullAll() == [])
        #expect(!rig.isAsked(.giveBack) && rig.health.unsent == 0)
    }

    @Test("leases are renewed every third, in one call for each mark, in flight as in memory")
    func renewals() throws {
        let rig = LaneRig()
        rig.take([rig.wake(1), rig.wake(2), rig.wake(3, token: 9)])
        #expect(rig.pull() != nil)
        rig.advance(milliseconds: 19_999)
        #expect(!rig.isAsked(.renew))
        rig.advance(milliseconds: 1)
        var renewed: [Int64: [Int64]] = [:]
        while case .renew(let rows, let token, let until)? = rig.host.takeCall(.renew) {
            renewed[token] = rows.map(\.number).sorted()
            #expect(until == rig.now.steady + 60_000)
            rig.driver.handle(.renewed(lost: []))
            rig.turn()
        }
        #expect(renewed == [1: [1, 2], 9: [3]])
    }

    @Test("a fresh lease is not renewed")
    func freshLeases() {
        let rig = LaneRig()
        rig.take([rig.wake(1)])
        rig.advance(milliseconds: 15_000)
        rig.take([rig.wake(2, token: 2)])
        rig.advance(milliseconds: 5_000)
        guard case .renew(let rows, _, _)? = rig.host.takeCall(.renew) else {
            Issue.record("nothing was renewed")
            return
        }
        #expect(rows == [WakeRow(1)])
        rig.driver.handle(.renewed(lost: []))
        rig.turn()
        #expect(!rig.isAsked(.renew))
    }

    @Test("a wake whose lease was lost is not sent; one in flight is awaited")
    func lost() throws {
        let rig = LaneRig()
        rig.take([rig.wake(1), rig.wake(2), rig.wake(3)])
        #expect(rig.pull() != nil)
        rig.advance(milliseconds: 20_000)
        try rig.answer(.renew, .renewed(lost: [WakeRow(1), WakeRow(2)]))
        #expect(rig.health.unsent == 1 && rig.health.inFlight == 1)
        try rig.end(1, .accepted)
        #expect(try rig.settle().map(\.wake) == [WakeRow(1)])
    }

    @Test("a renewal that fails is made again")
    func renewalFails() throws {
        let rig = LaneRig()
        rig.take([rig.wake(1)])
        rig.advance(milliseconds: 20_000)
        try rig.refuse(.renew)
        #expect(!rig.isAsked(.renew))
        rig.advance(milliseconds: 100)
        guard case .renew(let rows, _, let until)? = rig.host.takeCall(.renew) else {
            Issue.record("the renewal was forgotten")
            return
        }
        #expect(rows == [WakeRow(1)] && until > rig.now.steady + 59_900)
    }

    @Test("leases are made under a new mark every third of a lease")
    func marksChange() throws {
        let rig = LaneRig()
        var marks: [Int64] = []
        for _ in 0..<3 {
            rig.turn()
            let grant = try #require(rig.mailbox.reserve(upTo: 1))
            #expect(grant.lease.untilMilliseconds == rig.now.steady + 60_000)
            marks.append(grant.lease.token)
            rig.mailbox.release(1)
            rig.take([rig.wake(Int64(marks.count))])
            rig.advance(milliseconds: 20_000)
            while rig.host.takeCall(.renew) != nil {
                rig.driver.handle(.renewed(lost: []))
                rig.turn()
            }
        }
        #expect(Set(marks).count == 3 && marks.allSatisfy { $0 > 0 })
    }

    @Test("leases too short for the rule are sent with three quarters left, and kept by renewals")
    func shortLeases() {
        var limits = LaneLimits()
        limits.leaseMilliseconds = 1_000
        let rig = LaneRig(limits: limits)
        rig.take([rig.wake(1), rig.wake(2, lease: 749)])
        #expect(rig.pullAll() == [1])
        rig.advance(milliseconds: 333)
        #expect(rig.isAsked(.renew))
    }

    @Test("due wakes are leased when the lane has room, never more than it has")
    func leasing() throws {
        var limits = LaneLimits()
        limits.initialCapacity = 100
        let rig = LaneRig(limits: limits)
        rig.take((1...40).map { rig.wake($0) })
        rig.mailbox.noteDue(rig.now.wall - 1)
        rig.turn()
        guard case .lease(let limit, let lease, _)? = rig.host.takeCall(.lease) else {
            Issue.record("nothing was leased")
            return
        }
        // Half of the room, the other half stays open for what is leased at insert.
        #expect(limit == 30 && lease.untilMilliseconds == rig.now.steady + 60_000)
        #expect(rig.mailbox.reserve(upTo: 100)?.count == 30)
        #expect(rig.mailbox.reserve(upTo: 1) == nil)
        rig.driver.handle(.leased((101...120).map { rig.wake($0) }))
        rig.turn()
        #expect(rig.mailbox.reserve(upTo: 100)?.count == 10)
        // Fewer than asked for: the store is asked when the next one is due.
        try rig.answer(.nextDue, .nextDue(rig.now.wall + 5_000))
        rig.mailbox.release(40)
        rig.advance(milliseconds: 4_999)
        #expect(!rig.isAsked(.lease))
        rig.advance(milliseconds: 1)
        #expect(rig.isAsked(.lease))
    }

    @Test("a full answer means that more may be due")
    func moreIsDue() throws {
        var limits = LaneLimits()
        limits.initialCapacity = 80
        let rig = LaneRig(limits: limits)
        rig.mailbox.noteDue(rig.now.wall)
        rig.turn()
        var leased: Int64 = 0
        while case .lease(let limit, _, _)? = rig.host.takeCall(.lease) {
            rig.driver.handle(.leased((1...limit).map { rig.wake(leased + Int64($0)) }))
            leased += Int64(limit)
            rig.turn()
        }
        #expect(leased == 80 && !rig.isAsked(.nextDue))
        for row in rig.pullAll() { try rig.end(row, .accepted) }
        while rig.isAsked(.settle) { try rig.settle() }
        #expect(rig.isAsked(.lease))
    }

    @Test("what is hinted while the lane asks is not forgotten")
    func hintsWhileAsking() throws {
        let rig = LaneRig()
        rig.mailbox.noteDue(rig.now.wall)
        rig.turn()
        rig.mailbox.noteDue(rig.now.wall)
        rig.turn()
        try rig.answer(.lease, .leased([]))
        #expect(rig.isAsked(.lease))
    }

    @Test("a lease that fails is asked for again")
    func leaseFails() throws {
        let rig = LaneRig()
        rig.mailbox.noteDue(rig.now.wall)
        rig.turn()
        try rig.refuse(.lease, .full)
        #expect(!rig.isAsked(.lease))
        rig.advance(milliseconds: 100)
        #expect(rig.isAsked(.lease))
    }
}

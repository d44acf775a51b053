import ReveilleCore
import ReveilleDispatcher
import ReveilleStorage
import ReveilleTesting
import Testing

@Suite("What a lane sends")
struct LaneSendingTests {
    @Test("wakes go in the order of their commits")
    func commitOrder() {
        let rig = LaneRig()
        rig.take([rig.wake(3), rig.wake(1)])
        rig.take([rig.wake(2)])
        #expect(rig.pullAll() == [3, 1, 2])
        #expect(rig.pull() == nil)
        #expect(rig.health.inFlight == 3)
    }

    @Test("the store's backlog goes before what is just committed")
    func backlogFirst() throws {
        let rig = LaneRig()
        rig.take([rig.wake(10)])
        rig.mailbox.noteDue(rig.now.wall)
        rig.turn()
        try rig.answer(.lease, .leased([rig.wake(1), rig.wake(2)]))
        #expect(rig.pullAll() == [1, 2, 10])
    }

    @Test("the sender is told once, and again after it asked in vain")
    func signals() {
        let rig = LaneRig()
        #expect(rig.sender.signals == 0)
        rig.take([rig.wake(1)])
        #expect(rig.sender.signals == 1)
        rig.take([rig.wake(2)])
        #expect(rig.sender.signals == 1)
        #expect(rig.pullAll() == [1, 2])
        rig.take([rig.wake(3)])
        #expect(rig.sender.signals == 2)
    }

    @Test("a sender may pull while it is being told")
    func reentrance() {
        let rig = LaneRig()
        var pulled: [Int64] = []
        rig.sender.whenSignalled = { [unowned rig] in pulled += rig.pullAll() }
        rig.take([rig.wake(1), rig.wake(2)])
        #expect(pulled == [1, 2])
    }

    @Test("a wake that was revoked is never sent, wherever it waits", arguments: [false, true])
    func revoked(isLooking: Bool) throws {
        let rig = LaneRig()
        rig.take([rig.wake(1), rig.wake(2)])
        if isLooking {
            rig.advance(milliseconds: 1_001)
            #expect(rig.pull() == nil)
            #expect(rig.isAsked(.verify))
        }
        rig.mailbox.revoke([WakeRow(1)])
        rig.turn()
        if isLooking { try rig.answer(.verify, .verified(unsendable: [])) }
        #expect(rig.pullAll() == [2])
        #expect(!rig.isAsked(.giveBack))
    }

    @Test(
        "a process stopped in the middle of a turn goes on with a new reading of the clock", arguments: [1_001, 60_001])
    func stoppedWithinTurn(milliseconds: Int64) {
        let rig = LaneRig()
        rig.take([rig.wake(1)])
        rig.host.beginTurn()
        rig.clock.advance(by: .milliseconds(milliseconds))
        #expect(rig.pull() == nil)
        rig.host.endTurn()
        rig.turn()
        #expect(rig.isAsked(.verify) == (milliseconds < 60_000))
    }

    @Test("a try says when its lease ends")
    func leaseOfTry() {
        let rig = LaneRig()
        let wake = rig.wake(1)
        rig.take([wake])
        #expect(rig.pull() != nil)
        #expect(rig.buffer.leaseUntilMilliseconds == wake.lease.untilMilliseconds)
    }

    @Test("a wake revoked while it is being leased is looked up before it is sent")
    func revokedWhileLeasing() throws {
        let rig = LaneRig()
        rig.mailbox.noteDue(rig.now.wall)
        rig.turn()
        rig.mailbox.revoke([WakeRow(1)])
        rig.turn()
        try rig.answer(.lease, .leased([rig.wake(1), rig.wake(2)]))
        guard case .verify(let asked)? = rig.host.takeCall(.verify) else {
            Issue.record("nothing was looked up")
            return
        }
        #expect(asked.map(\.wake) == [WakeRow(1)])
        #expect(rig.pullAll() == [2])
        rig.driver.handle(.verified(unsendable: [WakeRow(1)]))
        rig.turn()
        #expect(rig.pullAll() == [])
        // The doubt is of that call only: a wake may be leased again.
        rig.take([rig.wake(1)])
        #expect(rig.pullAll() == [1])
    }

    @Test("a probe revoked while it is being leased is looked up, and another is leased when it may not go")
    func probeRevokedWhileLeasing() throws {
        let rig = LaneRig(pauses: [.lane: LaneRig.reason])
        rig.mailbox.revoke([WakeRow(1)])
        rig.turn()
        try rig.answer(.leaseProbe, .probeLeased(rig.wake(1)))
        #expect(rig.pull() == nil)
        try rig.answer(.verify, .verified(unsendable: [WakeRow(1)]))
        #expect(rig.pull() == nil)
        #expect(rig.isAsked(.leaseProbe))
    }

    @Test("a probe that sat in memory for over a second is looked up like any other")
    func staleProbe() throws {
        let rig = LaneRig(pauses: [.lane: LaneRig.reason])
        try rig.answer(.leaseProbe, .probeLeased(rig.wake(1)))
        rig.advance(milliseconds: 1_001)
        #expect(rig.pull() == nil)
        try rig.answer(.verify, .verified(unsendable: []))
        #expect(rig.pullAll() == [1])
    }

    @Test("a wake whose life is over goes back to the store, which settles it")
    func expired() throws {
        let rig = LaneRig()
        rig.take([rig.wake(1, life: 500), rig.wake(2, life: 60_000)])
        rig.advance(milliseconds: 500)
        #expect(rig.pullAll() == [2])
        let back = try rig.givenBack()
        #expect(back.rows == [1] && back.reason == .waiting)
    }

    @Test("a wake that sat in memory for over a second is looked up before it is sent")
    func stale() throws {
        let rig = LaneRig()
        rig.take([rig.wake(1), rig.wake(2), rig.wake(3)])
        rig.advance(milliseconds: 1_000)
        rig.take([rig.wake(4)])
        rig.advance(milliseconds: 1)
        #expect(rig.pull() == nil)
        guard case .verify(let asked)? = rig.host.takeCall(.verify) else {
            Issue.record("nothing was looked up")
            return
        }
        #expect(asked.map(\.wake.number) == [1, 2, 3])
        #expect(asked.allSatisfy { $0.leaseToken == 1 })
        rig.driver.handle(.verified(unsendable: [WakeRow(2)]))
        rig.turn()
        #expect(rig.pullAll() == [1, 3, 4])
        // The store may have left it in this lane's hands; if so, it takes it back.
        let back = try rig.givenBack()
        #expect(back.rows == [2] && back.reason == .waiting)
    }

    @Test("a wake that lay in the mailbox while the process was stopped is looked up before it is sent")
    func staleMail() throws {
        let rig = LaneRig()
        rig.mailbox.take([rig.wake(1)])
        rig.clock.advance(by: .milliseconds(1_001))
        rig.turn()
        #expect(rig.pull() == nil)
        try rig.answer(.verify, .verified(unsendable: []))
        #expect(rig.pullAll() == [1])
    }

    @Test("wakes are as fresh as the moment the look-up began, not ended")
    func slowLookup() throws {
        let rig = LaneRig()
        rig.take([rig.wake(1)])
        rig.advance(milliseconds: 1_001)
        #expect(rig.pull() == nil)
        rig.advance(milliseconds: 1_500)
        try rig.answer(.verify, .verified(unsendable: []))
        #expect(rig.pull() == nil)
        #expect(rig.isAsked(.verify))
    }

    @Test("a look-up that fails sends nothing and is made again")
    func failedLookup() throws {
        let rig = LaneRig()
        rig.take([rig.wake(1), rig.wake(2)])
        rig.advance(milliseconds: 1_001)
        #expect(rig.pull() == nil)
        try rig.refuse(.verify)
        #expect(rig.pull() == nil)
        #expect(!rig.isAsked(.verify))
        rig.advance(milliseconds: 100)
        try rig.answer(.verify, .verified(unsendable: []))
        #expect(rig.pullAll() == [1, 2])
    }

    @Test("the answer to an unknown tag changes nothing")
    func unknownTag() {
        let rig = LaneRig()
        for tag in [UInt64(0), 77, .max, 1 << 32] {
            rig.driver.tryDidEnd(tag: tag, result: TryResult(outcome: .accepted, status: 200))
        }
        rig.turn()
        #expect(!rig.isAsked(.settle))
    }

    @Test("an answer that comes twice counts once, also when the place has a new tenant")
    func answeredTwice() throws {
        let rig = LaneRig()
        rig.take([rig.wake(1)])
        let tag = try #require(rig.pull()?.tag)
        try rig.end(1, .accepted)
        rig.driver.tryDidEnd(tag: tag, result: TryResult(outcome: .refused(reason: LaneRig.reason), status: 400))
        #expect(try rig.settle().map(\.outcome) == [.accepted])
        rig.take([rig.wake(2)])
        #expect(rig.pullAll() == [2])
        rig.driver.tryDidEnd(tag: tag, result: TryResult(outcome: .accepted, status: 200))
        rig.turn()
        #expect(!rig.isAsked(.settle) && rig.health.inFlight == 1)
    }

    @Test("a wake leased again before its end was recorded is not sent twice")
    func leasedAgain() throws {
        let rig = LaneRig()
        rig.take([rig.wake(1)])
        #expect(rig.pullAll() == [1])
        rig.take([rig.wake(1, token: 2)])
        #expect(rig.pullAll() == [])
        try rig.end(1, .accepted)
        rig.take([rig.wake(1, token: 3)])
        #expect(rig.pullAll() == [])
        try rig.settle()
        #expect(rig.pullAll() == [])
        #expect(rig.health.unsent == 0 && rig.health.unsettled == 0)
    }

    @Test("a wake leased again whose old try counted for nothing is sent once more")
    func leasedAgainAfterLoss() throws {
        let rig = LaneRig()
        rig.take([rig.wake(1)])
        #expect(rig.pullAll() == [1])
        try rig.end(1, .unknown(reason: LaneRig.reason))
        rig.take([rig.wake(1, token: 2)])
        try rig.settle({ _ in Settlement(wake: .none) })
        // Much may have happened since it was leased again, so it is looked up first.
        #expect(rig.pull() == nil)
        try rig.answer(.verify, .verified(unsendable: []))
        #expect(rig.pullAll() == [1])
    }
}

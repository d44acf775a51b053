import ReveilleCore
import ReveilleDispatcher
import ReveilleStorage
import ReveilleTelemetry
import ReveilleTesting
import Testing

@Suite("The end of a lane, and jumps of the clock")
struct LaneEndTests {
    @Test("unsent wakes go back, those in flight are awaited and recorded")
    func drains() throws {
        let rig = LaneRig()
        var isDrained = false
        rig.driver.whenDrained = { isDrained = true }
        rig.take((1...5).map { rig.wake($0) })
        #expect(rig.pull() != nil)
        #expect(rig.pull() != nil)
        rig.mailbox.stop()
        rig.turn()
        #expect(rig.pull() == nil && rig.mailbox.reserve(upTo: 1) == nil)
        let back = try rig.givenBack()
        #expect(back.rows == [3, 4, 5] && back.reason == .waiting)
        #expect(!isDrained)
        try rig.end(1, .accepted)
        try rig.end(2, .unknown(reason: LaneRig.reason))
        #expect(!isDrained)
        while rig.isAsked(.settle) { try rig.settle() }
        #expect(isDrained && rig.health.state == .stopping)
    }

    @Test("a wake that comes while the lane ends goes back")
    func lateWakes() throws {
        let rig = LaneRig()
        rig.mailbox.stop()
        rig.turn()
        rig.take([rig.wake(1)])
        #expect(try rig.givenBack().rows == [1])
        rig.mailbox.noteDue(rig.now.wall)
        rig.turn()
        #expect(!rig.isAsked(.lease))
    }

    @Test("of five hundred wakes every one is sent, waiting, or in flight when the process is told to end (case 34)")
    func nothingIsLost() throws {
        let rig = LaneRig()
        rig.take((1...500).map { rig.wake($0) })
        var accounted: Set<Int64> = []
        for row in Int64(1)...150 {
            #expect(rig.pull() != nil)
            if row <= 120 {
                try rig.end(row, .accepted)
                accounted.insert(row)
            }
        }
        rig.mailbox.stop()
        rig.turn()
        accounted.formUnion(try rig.givenBack().rows)
        for row in Int64(121)...150 {
            try rig.end(row, .unknown(reason: LaneRig.reason))
            accounted.insert(row)
        }
        var recorded = 0
        while rig.isAsked(.settle) { recorded += try rig.settle().count }
        #expect(accounted == Set(1...500) && recorded == 150)
    }

    @Test(
        "a jump of the wall clock gives everything back and waits for the store's new plan",
        arguments: [Int64(-7_200), 7_200, 61, -61])
    func jump(seconds: Int64) throws {
        let rig = LaneRig()
        rig.take([rig.wake(1), rig.wake(2)])
        #expect(rig.pull() != nil)
        rig.clock.jumpWall(by: .seconds(seconds))
        rig.turn()
        #expect(rig.host.jumps == 1)
        #expect(rig.pull() == nil && rig.mailbox.reserve(upTo: 1) == nil)
        #expect(try rig.givenBack().rows == [2])
        try rig.end(1, .accepted)
        try rig.settle()
        rig.mailbox.noteDue(rig.now.wall)
        rig.turn()
        #expect(!rig.isAsked(.lease))
        rig.mailbox.notePlan()
        rig.turn()
        #expect(rig.isAsked(.nextDue) && rig.isAsked(.lease))
        #expect(rig.mailbox.reserve(upTo: 1) != nil)
    }

    @Test(
        "a plan that came before the lane saw the jump does not count; the lane says that it waits, and takes the next")
    func planBeforeJump() {
        let rig = LaneRig()
        rig.clock.jumpWall(by: .seconds(300))
        rig.mailbox.notePlan()
        rig.turn()
        #expect(rig.host.jumps == 1 && rig.mailbox.reserve(upTo: 1) == nil)
        rig.mailbox.notePlan()
        rig.turn()
        #expect(rig.host.jumps == 1 && rig.mailbox.reserve(upTo: 1) != nil)
    }

    @Test("ends and give-backs noted before a jump are told to the store by the new clock")
    func notedBeforeJump() throws {
        let rig = LaneRig()
        rig.take([rig.wake(1), rig.wake(2, device: 5), rig.wake(3, device: 5)])
        #expect(rig.pull() != nil)
        #expect(rig.pull() != nil)
        try rig.end(1, .accepted)
        try rig.end(2, .retry(reason: LaneRig.reason, after: .devicePaced(seconds: 60)))
        #expect(rig.pull() == nil)
        try rig.refuse(.giveBack)
        rig.clock.jumpWall(by: .seconds(-7_200))
        rig.turn()
        #expect(try rig.settle().map(\.wake.number) == [1])
        #expect(try rig.settle().map(\.endedAtMilliseconds) == [rig.now.wall])
        rig.advance(milliseconds: 100)
        #expect(try rig.givenBack().reason == .waiting)
    }

    @Test("a wall clock that is set a little is no jump")
    func smallStep() {
        let rig = LaneRig()
        rig.take([rig.wake(1)])
        rig.clock.jumpWall(by: .seconds(60))
        rig.turn()
        #expect(rig.host.jumps == 0 && rig.pullAll() == [1])
    }

    @Test("after a jump nothing expires for ten minutes")
    func graceAfterJump() {
        let rig = LaneRig()
        rig.clock.jumpWall(by: .seconds(7_200))
        rig.turn()
        rig.mailbox.notePlan()
        rig.turn()
        rig.take([rig.wake(1, life: -1_000)])
        #expect(rig.pullAll() == [1])
        rig.advance(milliseconds: 600_000)
        rig.take([rig.wake(2, life: -1_000)])
        #expect(rig.pullAll() == [])
    }

    @Test("a machine that slept finds its leases run out and sends none of them")
    func suspend() {
        let rig = LaneRig()
        rig.take([rig.wake(1), rig.wake(2)])
        rig.clock.advance(by: .seconds(3_600))
        rig.turn()
        #expect(rig.host.jumps == 0)
        #expect(rig.pullAll() == [] && rig.health.unsent == 0 && !rig.isAsked(.giveBack))
    }
}

@Suite("Figures of a lane")
struct LaneFigureTests {
    @Test("tries, outcomes, reasons, stages and the time to the wire are counted under closed labels")
    func counted() throws {
        let rig = LaneRig()
        rig.take((1...4).map { rig.wake($0) })
        rig.advance(milliseconds: 3)
        #expect(rig.pull() != nil)
        #expect(rig.pull() != nil)
        #expect(rig.pull() != nil)
        try rig.end(1, .accepted)
        try rig.end(2, .refused(reason: LaneRig.reason))
        try rig.end(3, .misconfigured(reason: ProviderReason("NotOnTheList"), scope: .topic))
        let text = rig.registry.prometheusText()
        for line in [
            "reveille_tries_total{lane=\"apns-production\"} 3",
            "reveille_tries_total{lane=\"apns-sandbox\"} 0",
            "reveille_try_outcomes_total{lane=\"apns-production\",outcome=\"accepted\"} 1",
            "reveille_try_outcomes_total{lane=\"apns-production\",outcome=\"refused\"} 1",
            "reveille_provider_reasons_total{lane=\"apns-production\",reason=\"SomeReason\"} 1",
            "reveille_provider_reasons_total{lane=\"apns-production\",reason=\"other\"} 1",
            "reveille_lane_pauses{lane=\"apns-production\"} 1",
            "reveille_lane_wakes{lane=\"apns-production\",stage=\"unsettled\"} 3",
            "reveille_lane_wakes{lane=\"apns-production\",stage=\"returning\"} 1",
            "reveille_commit_to_wire_seconds_count{lane=\"apns-production\"} 3",
            "reveille_commit_to_wire_seconds_bucket{lane=\"apns-production\",le=\"0.002\"} 0",
            "reveille_commit_to_wire_seconds_bucket{lane=\"apns-production\",le=\"0.005\"} 3",
        ] {
            #expect(text.contains(line + "\n"), "\(line)")
        }
    }

    @Test("disabled and quarantined devices and failures of the store are counted")
    func devices() throws {
        let rig = LaneRig()
        rig.take((1...2).map { rig.wake($0) })
        for row in rig.pullAll() { try rig.end(row, .deviceGone(reason: LaneRig.reason, sinceMilliseconds: nil)) }
        try rig.refuse(.settle, .full)
        rig.advance(milliseconds: 100)
        try rig.settle({ ended in
            ended.wake == WakeRow(1)
                ? Settlement(
                    wake: .settle(.failed), device: .disable(reason: LaneRig.reason, evidence: .none), lane: .none)
                : Settlement(
                    wake: .hold(.deviceQuarantined), device: .quarantine(reason: LaneRig.reason, evidence: .none))
        })
        let text = rig.registry.prometheusText()
        #expect(text.contains("reveille_device_changes_total{lane=\"apns-production\",change=\"disabled\"} 1\n"))
        #expect(text.contains("reveille_device_changes_total{lane=\"apns-production\",change=\"quarantined\"} 1\n"))
        #expect(text.contains("reveille_dispatch_store_failures_total{call=\"settle\"} 1\n"))
    }
}

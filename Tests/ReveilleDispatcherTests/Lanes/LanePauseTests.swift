import ReveilleCore
import ReveilleDispatcher
import ReveilleStorage
import ReveilleTelemetry
import Testing

@Suite("Pauses until an operator acts")
struct LanePauseTests {
    private static let minute: Int64 = 60_000

    /// A lane that was paused by an answer to its first wake; the pause is recorded.
    private func paused(_ scope: MisconfigurationScope = .lane) throws -> LaneRig {
        let rig = LaneRig()
        rig.take([rig.wake(1), rig.wake(2), rig.wake(3, topic: "other")])
        #expect(rig.pull() != nil)
        try rig.end(1, .misconfigured(reason: LaneRig.reason, scope: scope), status: 403)
        return rig
    }

    private func recorded(_ rig: LaneRig) throws -> (scope: PauseScope, reason: ProviderReason?) {
        let call = try #require(rig.host.takeCall(.recordPause), "no pause was recorded")
        guard case .recordPause(let scope, let reason) = call else { return (.lane, nil) }
        rig.driver.handle(.pauseRecorded)
        rig.turn()
        return (scope, reason)
    }

    /// Lets the probe that is due go out and be answered.
    private func probe(_ rig: LaneRig, row: Int64, _ outcome: Outcome, topic: String = "org.example") throws {
        try rig.answer(.leaseProbe, .probeLeased(rig.wake(row, topic: topic)))
        #expect(rig.pullAll() == [row])
        try rig.end(row, outcome)
        try rig.settle(topic: topic)
    }

    @Test("a misconfigured lane is paused at once: everything is held, recorded and shown")
    func lanePauses() throws {
        let rig = try paused()
        #expect(rig.pull() == nil)
        let back = try rig.givenBack()
        #expect(back.rows == [2, 3] && back.reason == .laneMisconfigured)
        let record = try recorded(rig)
        #expect(record.scope == .lane && record.reason == LaneRig.reason)
        #expect(rig.health.state == .paused && rig.health.reason == LaneRig.reason)
        #expect(rig.mailbox.reserve(upTo: 1) == nil)
        rig.take([rig.wake(4)])
        #expect(try rig.givenBack().reason == .laneMisconfigured)
    }

    @Test("the fault of one subscription holds back its device alone")
    func subscription() throws {
        let rig = LaneRig()
        rig.take([rig.wake(1, device: 1), rig.wake(2, device: 1), rig.wake(3, device: 2)])
        #expect(rig.pull() != nil)
        try rig.end(1, .misconfigured(reason: LaneRig.reason, scope: .subscription), status: 403)
        try rig.settle(laneDevices: 9)
        #expect(rig.pullAll() == [3])
        let back = try rig.givenBack()
        #expect(back.rows == [2] && back.reason == .notBefore(milliseconds: rig.now.wall + Self.minute))
        #expect(rig.health.state == .working && !rig.isAsked(.recordPause))
    }

    @Test(
        "a lane pauses when three devices named the fault of their subscription with nothing accepted between, or all it has",
        arguments: [(9, 3), (3, 3), (2, 2), (1, 1)] as [(Int64, Int64)])
    func subscriptions(devices: Int64, enough: Int64) throws {
        let rig = LaneRig()
        rig.take((1...9).map { rig.wake($0, device: $0) })
        func fail(_ row: Int64) throws {
            #expect(rig.pull() != nil)
            try rig.end(row, .misconfigured(reason: LaneRig.reason, scope: .subscription), status: 403)
            try rig.settle(laneDevices: devices)
        }
        if devices > 1 {
            // An accepted send between them says that the lane works.
            try fail(1)
            #expect(rig.pull() != nil)
            try rig.end(2, .accepted)
            try rig.settle()
        }
        let next: Int64 = devices > 1 ? 3 : 1
        for row in next..<(next + enough) {
            #expect(rig.health.state != .paused)
            try fail(row)
        }
        #expect(rig.health.state == .paused)
        #expect(try recorded(rig).scope == .lane)
    }

    @Test("a paused lane renews no lease and leases nothing")
    func renewsNone() throws {
        let rig = LaneRig()
        rig.take([rig.wake(1), rig.wake(2)])
        #expect(rig.pullAll() == [1, 2])
        try rig.end(1, .misconfigured(reason: LaneRig.reason, scope: .lane))
        rig.mailbox.noteDue(rig.now.wall)
        rig.advance(milliseconds: 40_000)
        #expect(!rig.isAsked(.renew) && !rig.isAsked(.lease) && !rig.isAsked(.nextDue))
    }

    @Test("it is probed with one wake after 1, 2, 4, 8, 15, 15 minutes")
    func probesByBackoff() throws {
        let rig = try paused()
        _ = try rig.givenBack()
        try rig.settle()
        for (number, minutes) in [Int64(1), 2, 4, 8, 15, 15].enumerated() {
            rig.advance(milliseconds: minutes * Self.minute - 1)
            #expect(!rig.isAsked(.leaseProbe), "probe \(number) came early")
            rig.advance(milliseconds: 1)
            try probe(rig, row: Int64(100 + number), .misconfigured(reason: LaneRig.reason, scope: .lane))
        }
        #expect(rig.health.state == .paused)
    }

    @Test("the first accepted probe ends the pause, and only then the store catches up")
    func resumes() throws {
        let rig = try paused()
        _ = try rig.givenBack()
        _ = try recorded(rig)
        try rig.settle()
        rig.advance(milliseconds: Self.minute)
        try rig.answer(.leaseProbe, .probeLeased(rig.wake(50)))
        #expect(rig.pullAll() == [50])
        try rig.end(50, .accepted)
        #expect(rig.health.state == .paused && !rig.isAsked(.catchUp))
        try rig.settle()
        #expect(!rig.isAsked(.catchUp))
        let record = try recorded(rig)
        #expect(record.scope == .lane && record.reason == nil)
        guard case .catchUp(.lane)? = rig.host.takeCall(.catchUp) else {
            Issue.record("nobody catches up")
            return
        }
        rig.driver.handle(.caughtUp(3))
        rig.turn()
        #expect(rig.health.state == .working && rig.isAsked(.nextDue))
        let counted = rig.registry.prometheusText().matches(
            of: /reveille_catch_up_wakes_total\{lane="([a-z-]+)"\} ([1-9]+)/)
        #expect(counted.map { "\($0.output.1) \($0.output.2)" } == ["apns-production 3"])
    }

    @Test("a catch-up that fails is made again")
    func catchUpFails() throws {
        let rig = try paused()
        try rig.settle()
        _ = try recorded(rig)
        rig.advance(milliseconds: Self.minute)
        try probe(rig, row: 50, .accepted)
        _ = try recorded(rig)
        try rig.refuse(.catchUp)
        rig.advance(milliseconds: 100)
        #expect(rig.isAsked(.catchUp))
    }

    @Test("an accepted answer to a wake sent before the pause does not end it")
    func olderAnswers() throws {
        let rig = LaneRig()
        rig.take([rig.wake(1), rig.wake(2)])
        #expect(rig.pullAll() == [1, 2])
        try rig.end(1, .misconfigured(reason: LaneRig.reason, scope: .lane))
        try rig.end(2, .accepted)
        while rig.isAsked(.settle) { try rig.settle() }
        #expect(rig.health.state == .paused)
    }

    @Test("a probe answered by neither yes nor no is followed by another after a minute")
    func undecided() throws {
        let rig = try paused()
        try rig.settle()
        for row in [Int64(50), 51] {
            rig.advance(milliseconds: Self.minute)
            try probe(rig, row: row, .retry(reason: LaneRig.reason, after: .schedule(seconds: 0)))
        }
        rig.advance(milliseconds: Self.minute)
        #expect(rig.isAsked(.leaseProbe))
    }

    @Test("changed settings are tried at once")
    func settingsChange() throws {
        let rig = try paused()
        try rig.settle()
        rig.advance(milliseconds: Self.minute)
        try probe(rig, row: 50, .misconfigured(reason: LaneRig.reason, scope: .lane))
        #expect(!rig.isAsked(.leaseProbe))
        rig.mailbox.noteSettingsChange()
        rig.turn()
        #expect(rig.isAsked(.leaseProbe))
    }

    @Test("a pause from before the start is probed at once")
    func restart() {
        let rig = LaneRig(pauses: [.lane: LaneRig.reason, .topic("org.example"): LaneRig.reason])
        #expect(rig.health.state == .paused)
        guard case .leaseProbe(.lane, _)? = rig.host.takeCall(.leaseProbe) else {
            Issue.record("the lane was not probed")
            return
        }
    }

    @Test("without a wake to probe with, the next one that comes is the probe")
    func nothingToProbe() throws {
        let rig = LaneRig(pauses: [.lane: LaneRig.reason])
        try rig.answer(.leaseProbe, .probeLeased(nil))
        rig.advance(milliseconds: Self.minute - 1)
        #expect(!rig.isAsked(.leaseProbe))
        rig.advance(milliseconds: 1)
        try rig.answer(.leaseProbe, .probeLeased(nil))
        rig.mailbox.noteDue(rig.now.wall)
        rig.turn()
        try probe(rig, row: 50, .accepted)
        #expect(rig.health.state == .working)
    }

    @Test("a probe that never went out is leased again", arguments: [true, false])
    func probeLost(isRevoked: Bool) throws {
        let rig = LaneRig(pauses: [.lane: LaneRig.reason])
        try rig.answer(.leaseProbe, .probeLeased(rig.wake(50, life: 1_000)))
        if isRevoked {
            rig.mailbox.revoke([WakeRow(50)])
            rig.turn()
        } else {
            rig.advance(milliseconds: 1_000)
            #expect(rig.pull() == nil)
        }
        #expect(rig.isAsked(.leaseProbe))
    }

    @Test("a probe that could not be leased is tried again")
    func probeFails() throws {
        let rig = LaneRig(pauses: [.lane: LaneRig.reason])
        try rig.refuse(.leaseProbe)
        rig.advance(milliseconds: 100)
        #expect(rig.isAsked(.leaseProbe))
    }

    @Test("a fault of a topic holds that topic only")
    func topicPauses() throws {
        let rig = try paused(.topic)
        let back = try rig.givenBack()
        #expect(back.rows == [2] && back.reason == .laneMisconfigured)
        #expect(rig.pullAll() == [3])
        #expect(rig.health.state == .working && rig.health.pausedTopics.map(\.topic) == ["org.example"])
        #expect(try recorded(rig).scope == .topic("org.example"))
        rig.take([rig.wake(4), rig.wake(5, topic: "other")])
        #expect(rig.pullAll() == [5])
        rig.mailbox.noteDue(rig.now.wall)
        rig.turn()
        guard case .lease(_, _, let excluded)? = rig.host.takeCall(.lease) else {
            Issue.record("the other topics were not leased")
            return
        }
        #expect(excluded == ["org.example"])
    }

    @Test("a paused topic is probed and resumed on its own")
    func topicResumes() throws {
        let rig = try paused(.topic)
        _ = try rig.givenBack()
        _ = try recorded(rig)
        try rig.settle()
        rig.advance(milliseconds: Self.minute)
        try probe(rig, row: 50, .accepted)
        let record = try recorded(rig)
        #expect(record.scope == .topic("org.example") && record.reason == nil)
        guard case .catchUp(.topic("org.example"))? = rig.host.takeCall(.catchUp) else {
            Issue.record("nobody catches up")
            return
        }
        #expect(rig.health.pausedTopics.isEmpty)
    }

    @Test("three devices that name a fault of their topic, with nothing accepted between, pause the lane")
    func threeDevices() throws {
        let fault = Outcome.misconfigured(reason: LaneRig.reason, scope: .topic)
        let rig = LaneRig()
        rig.take((1...8).map { rig.wake($0, device: $0 == 4 ? 3 : $0, topic: "topic\($0)") })
        #expect(rig.pullAll().count == 8)
        try rig.end(1, fault)
        try rig.end(2, fault)
        try rig.end(5, .accepted)
        try rig.end(3, fault)
        try rig.end(4, fault)
        #expect(rig.health.state == .working)
        try rig.end(6, fault)
        #expect(rig.health.state == .working)
        try rig.end(7, fault)
        #expect(rig.health.state == .paused)
    }

    @Test("a lane proved by a wake of a paused topic proves the topic too")
    func laneAndTopic() throws {
        let rig = LaneRig(pauses: [.lane: LaneRig.reason, .topic("org.example"): LaneRig.reason])
        try probe(rig, row: 50, .accepted)
        #expect(rig.health.state == .working && rig.health.pausedTopics.isEmpty)
    }

    @Test("a credential refused twice pauses the lane when the store says so")
    func credentialRefusedTwice() throws {
        let rig = LaneRig()
        rig.take([rig.wake(1), rig.wake(2)])
        #expect(rig.pull() != nil)
        try rig.end(1, .renewCredential(reason: LaneRig.reason), status: 403)
        #expect(rig.health.state == .working)
        try rig.settle({ _ in
            Settlement(
                wake: .hold(.laneMisconfigured), lane: .misconfigured(reason: LaneRig.reason, scope: .lane))
        })
        #expect(rig.health.state == .paused)
    }

    @Test("a pause that another process recorded is taken over and probed at once; one just ended here is not")
    func adopted() throws {
        let rig = LaneRig()
        rig.take([rig.wake(1)])
        rig.mailbox.notePauses([.lane: LaneRig.reason])
        rig.turn()
        #expect(rig.health.state == .paused)
        #expect(try rig.givenBack().reason == .laneMisconfigured)
        #expect(!rig.isAsked(.recordPause))
        try probe(rig, row: 50, .accepted)
        rig.mailbox.notePauses([.lane: LaneRig.reason])
        rig.turn()
        #expect(rig.health.state == .working)
        #expect(try recorded(rig).reason == nil)
    }

    @Test("wakes that are held without a pause are caught up, those of a paused lane by its end")
    func stranded() throws {
        let rig = LaneRig()
        rig.mailbox.noteStranded()
        rig.turn()
        try rig.answer(.catchUp, .caughtUp(1))
        #expect(rig.isAsked(.nextDue))
        let paused = LaneRig(pauses: [.lane: LaneRig.reason])
        paused.mailbox.noteStranded()
        paused.turn()
        #expect(!paused.isAsked(.catchUp))
    }

    @Test("records of a pause are kept until the store took them, the newest word counts")
    func recordFails() throws {
        let rig = try paused()
        try rig.refuse(.recordPause)
        rig.advance(milliseconds: 100)
        #expect(try recorded(rig).reason == LaneRig.reason)
    }
}

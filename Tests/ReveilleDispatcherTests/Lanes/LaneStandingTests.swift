import ReveilleCore
import ReveilleDispatcher
import ReveilleStorage
import Testing

@Suite("Wakes of tokens that are not proven stand apart from the rest")
struct LaneStandingTests {
    @Test("a stream gets wakes of its standing alone, each standing in the order of its commits")
    func apart() {
        let rig = LaneRig()
        rig.take([
            rig.wake(1, standing: .unproven), rig.wake(2), rig.wake(3, standing: .unproven), rig.wake(4),
        ])
        #expect(rig.pullAll(.proven) == [2, 4])
        #expect(rig.pullAll(.unproven) == [1, 3])
    }

    @Test("wakes of the backlog, and those that were looked up again, keep their standing")
    func everyQueue() throws {
        let rig = LaneRig()
        rig.take([rig.wake(1, standing: .unproven), rig.wake(2)])
        rig.advance(milliseconds: 1_001)
        #expect(rig.pull(.unproven) == nil)
        try rig.answer(.verify, .verified(unsendable: []))
        rig.mailbox.noteDue(rig.now.wall)
        rig.turn()
        try rig.answer(.lease, .leased([rig.wake(3, standing: .unproven), rig.wake(4)]))
        rig.take([rig.wake(5, standing: .unproven)])
        #expect(rig.pullAll(.unproven) == [1, 3, 5])
        #expect(rig.pullAll(.proven).contains(4))
    }

    @Test("only wakes of a standing for which somebody asked are looked up again")
    func verifiesWhatIsAskedFor() throws {
        let rig = LaneRig()
        rig.take([rig.wake(1, standing: .unproven), rig.wake(2)])
        rig.advance(milliseconds: 1_001)
        #expect(rig.pull(.proven) == nil)
        let call = try rig.answer(.verify, .verified(unsendable: []))
        guard case .verify(let wakes) = call else { return }
        #expect(wakes.map(\.wake) == [WakeRow(2)])
    }

    @Test(
        "the sender is told of each standing that asked in vain, and can see which it is",
        arguments: TokenStanding.allCases)
    func told(standing: TokenStanding) {
        let other: TokenStanding = standing == .proven ? .unproven : .proven
        let rig = LaneRig()
        rig.take([rig.wake(1, standing: other)])
        #expect(rig.sender.signals == 1)
        #expect(rig.driver.hasTry(of: other) && !rig.driver.hasTry(of: standing))
        // Nobody pulls the other one; what comes for this one is told all the same.
        rig.take([rig.wake(2, standing: standing)])
        #expect(rig.sender.signals == 2)
        #expect(rig.driver.hasTry(of: standing))
        #expect(rig.pullAll(standing) == [2])
        rig.take([rig.wake(3, standing: standing)])
        #expect(rig.sender.signals == 3)
    }

    @Test("a sender that looked in vain is told when something comes")
    func toldAfterLook() {
        let rig = LaneRig()
        rig.take([rig.wake(1, standing: .unproven)])
        rig.mailbox.revoke([WakeRow(1)])
        rig.turn()
        #expect(!rig.driver.hasTry(of: .unproven))
        let before = rig.sender.signals
        rig.take([rig.wake(2, standing: .unproven)])
        #expect(rig.sender.signals == before + 1)
    }

    @Test("a look at wakes that are not fresh any more has them looked up")
    func lookVerifies() throws {
        let rig = LaneRig()
        rig.take([rig.wake(1, standing: .unproven)])
        rig.advance(milliseconds: 1_001)
        #expect(!rig.driver.hasTry(of: .unproven))
        rig.host.run(rig.driver)
        let before = rig.sender.signals
        try rig.answer(.verify, .verified(unsendable: []))
        #expect(rig.sender.signals == before + 1)
        #expect(rig.driver.hasTry(of: .unproven))
    }

    @Test("a wake that is leased again with another standing goes with those")
    func changed() {
        let rig = LaneRig()
        rig.take([rig.wake(1), rig.wake(2)])
        rig.take([rig.wake(1, token: 2, standing: .unproven)])
        #expect(rig.pullAll(.proven) == [2])
        #expect(rig.pullAll(.unproven) == [1])
    }

    @Test("while unproven wakes stand still they keep half of the room, and further ones go back for a while")
    func room() throws {
        var limits = LaneLimits()
        limits.initialCapacity = 64
        let rig = LaneRig(limits: limits)
        rig.take((1...40).map { rig.wake($0, standing: .unproven) })
        #expect(rig.health.unsent == 40)
        rig.take((41...44).map { rig.wake($0, standing: .unproven) })
        #expect(rig.health.unsent == 44)
        rig.advance(milliseconds: 5_001)
        rig.take((45...48).map { rig.wake($0, standing: .unproven) })
        let (rows, reason) = try rig.givenBack()
        #expect(rows == [45, 46, 47, 48])
        guard case .notBefore(let due) = reason else {
            Issue.record("given back as \(reason)")
            return
        }
        #expect((10_000...11_000).contains(due - rig.now.wall))
        // Proven ones are taken and sent meanwhile.
        rig.take((51...60).map { rig.wake($0) })
        #expect(rig.pullAll(.proven) == Array(51...60))
    }

    @Test("unproven wakes that move may fill the lane")
    func noDetour() {
        var limits = LaneLimits()
        limits.initialCapacity = 64
        let rig = LaneRig(limits: limits)
        rig.take((1...64).map { rig.wake($0, standing: .unproven) })
        rig.advance(milliseconds: 5_000)
        rig.take([rig.wake(65, standing: .unproven)])
        #expect(rig.health.unsent == 65 && rig.health.returning == 0)
    }

    @Test("pauses and pacing are the lane's: an answer to an unproven token stops them all")
    func shared() throws {
        let rig = LaneRig()
        rig.take([rig.wake(1, standing: .unproven), rig.wake(2)])
        #expect(rig.pullAll(.unproven) == [1])
        try rig.end(1, .misconfigured(reason: LaneRig.reason, scope: .lane))
        #expect(rig.pull(.proven) == nil)
        #expect(try rig.givenBack().rows == [2])
    }
}

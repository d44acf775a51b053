import ReveilleCore
import ReveilleDispatcher
import ReveilleStorage
import Testing

@Suite("How much a lane holds")
struct LaneCapacityTests {
    /// Ends `perStep` wakes every hundred milliseconds for so many seconds.
    private func run(_ rig: LaneRig, seconds: Int, perStep: Int, starves: Bool) throws {
        var row = Int64(rig.now.steady) * 1_000
        for _ in 0..<(seconds * 10) {
            if rig.host.takeCall(.verify) != nil { rig.driver.handle(.verified(unsendable: [])) }
            rig.turn()
            var ended = 0
            while ended < perStep {
                if rig.health.unsent == 0 {
                    rig.take(
                        (0..<64).map { _ in
                            row += 1
                            return rig.wake(row)
                        })
                }
                guard let request = rig.pull(), let wake = LaneRig.ids.wake(requestID: request.requestID) else { break }
                try rig.end(wake.number, .accepted)
                ended += 1
            }
            if starves { _ = rig.pullAll().map { row in try? rig.end(row, .accepted) } }
            while rig.isAsked(.settle) { try rig.settle() }
            if rig.host.takeCall(.renew) != nil { rig.driver.handle(.renewed(lost: [])) }
            rig.advance(milliseconds: 100)
        }
    }

    @Test("it starts with room for one post to a thousand devices")
    func initial() {
        let rig = LaneRig()
        #expect(rig.health.capacity == 1_024)
        #expect(rig.mailbox.reserve(upTo: 10_000)?.count == 1_024)
        #expect(rig.mailbox.reserve(upTo: 1) == nil)
        rig.mailbox.release(24)
        #expect(rig.mailbox.reserve(upTo: 10_000)?.count == 24)
    }

    @Test("it grows with the measured rate, to half a lease's worth")
    func grows() throws {
        let rig = LaneRig()
        try run(rig, seconds: 3, perStep: 100, starves: true)
        let health = rig.health
        #expect(health.ratePerSecond > 900 && health.ratePerSecond < 3_000)
        #expect(health.capacity == Int(health.ratePerSecond * 30))
    }

    @Test("a burst that shows a higher rate is believed before a second is over")
    func growsEarly() throws {
        let rig = LaneRig()
        for step in 0..<3 {
            let rows = Int64(step) * 100..<Int64(step + 1) * 100
            rig.take(rows.map { rig.wake($0 + 1) })
            for row in rig.pullAll() { try rig.end(row, .accepted) }
            rig.advance(milliseconds: 100)
        }
        #expect(rig.health.ratePerSecond > 400)
        #expect(rig.health.capacity > 12_000)
    }

    @Test("a lane that cannot keep up holds less, but never less than keeps its streams full")
    func shrinks() throws {
        let rig = LaneRig()
        try run(rig, seconds: 12, perStep: 1, starves: false)
        #expect(rig.health.capacity < 500)
        var limits = LaneLimits()
        limits.leaseMilliseconds = 1_000
        limits.initialCapacity = 100
        let small = LaneRig(limits: limits)
        try run(small, seconds: 12, perStep: 1, starves: false)
        #expect(small.health.capacity == 64)
    }

    @Test("a quiet lane keeps its room")
    func quiet() throws {
        let rig = LaneRig()
        rig.take([rig.wake(1)])
        #expect(rig.pullAll() == [1])
        try rig.end(1, .accepted)
        try rig.settle()
        rig.advance(milliseconds: 600_000)
        rig.take([rig.wake(2)])
        #expect(rig.pullAll() == [2])
        try rig.end(2, .accepted)
        #expect(rig.health.capacity == 1_024)
    }

    @Test("the hard bound holds whatever the rate")
    func hardBound() {
        var limits = LaneLimits()
        limits.initialCapacity = 1_000_000
        #expect(LaneRig(limits: limits).health.capacity == 65_536)
    }

    @Test(
        "without a connection it holds a few, and none while it cannot connect",
        arguments: [
            (SenderState.idle, 256), (.opening, 256), (.blocked(reason: LaneRig.reason), 256), (.ready, 1_024),
            (.backingOff(reason: LaneRig.reason), 0),
            (.drained, 0),
        ])
    func senderStates(state: SenderState, capacity: Int) {
        let rig = LaneRig(state: state)
        #expect(rig.health.capacity == capacity)
        #expect((rig.mailbox.reserve(upTo: 1) == nil) == (capacity == 0))
    }

    @Test("what it holds takes room, in whatever stage, until the store knows its end")
    func heldTakesRoom() throws {
        var limits = LaneLimits()
        limits.initialCapacity = 64
        let rig = LaneRig(limits: limits)
        func room() -> Int {
            let count = rig.mailbox.reserve(upTo: 1_000)?.count ?? 0
            rig.mailbox.release(count)
            return count
        }
        let grant = try #require(rig.mailbox.reserve(upTo: 10))
        #expect(room() == 54)
        rig.mailbox.take((1...Int64(grant.count)).map { rig.wake($0) })
        #expect(room() == 54)
        rig.turn()
        #expect(room() == 54)
        for row in rig.pullAll() { try rig.end(row, .accepted) }
        #expect(room() == 54)
        while rig.isAsked(.settle) { try rig.settle() }
        #expect(room() == 64)
    }
}

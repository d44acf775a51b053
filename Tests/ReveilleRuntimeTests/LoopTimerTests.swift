import ReveilleRuntime
import ReveilleTesting
import Testing

@Suite("A timer of an event loop", .timeLimit(.minutes(5)))
struct LoopTimerTests {
    @Test("fires when a clock that is moved by hand passes its deadline, not before")
    func firesOnManualClock() async throws {
        let clock = ManualClock()
        try await withEventLoop(clock: clock) { loop in
            let fired = Probe<[String]>([])
            try await loop.call {
                loop.schedule(after: .seconds(10)) { fired.append("ten") }
                loop.schedule(after: .seconds(5)) { fired.append("five") }
                loop.schedule(after: .seconds(5)) { fired.append("five again") }
            }
            clock.advance(by: .milliseconds(4999))
            await loop.settle()
            #expect(fired.value.isEmpty)
            clock.advance(by: .milliseconds(1))
            try await fired.wait { $0 == ["five", "five again"] }
            clock.advance(by: .seconds(100))
            try await fired.wait { $0 == ["five", "five again", "ten"] }
            #expect(try await loop.call { loop.pendingTimerCount } == 0)
        }
    }

    @Test("is not missed when the clock moves while the loop is about to sleep")
    func isNotMissedAtTheEdge() async throws {
        let clock = ManualClock()
        try await withEventLoop(clock: clock) { loop in
            for _ in 0..<TestScale.count(10_000) {
                let fired = OneShot<Void>()
                loop.execute { loop.schedule(after: .seconds(1)) { fired.fulfil(()) } }
                clock.advance(by: .seconds(1))
                await loop.settle()
                clock.advance(by: .seconds(1))
                try await fired.wait()
            }
        }
    }

    @Test("of the system's clock fires after its delay")
    func firesOnSystemClock() async throws {
        try await withEventLoop { loop in
            let clock = SystemMonotonicClock()
            let start = clock.now()
            let times = Probe<[MonotonicInstant]>([])
            try await loop.call {
                for milliseconds in [20, 5, 10] {
                    loop.schedule(after: .milliseconds(milliseconds)) { times.append(clock.now()) }
                }
            }
            try await times.wait { $0.count == 3 }
            let delays = times.value.map { $0.duration(since: start) }
            #expect(delays[0] >= .milliseconds(5))
            #expect(delays[1] >= .milliseconds(10))
            #expect(delays[2] >= .milliseconds(20))
        }
    }

    @Test("with a nearer deadline than the one the loop sleeps for is not late")
    func wakesForNearerDeadline() async throws {
        try await withEventLoop { loop in
            let fired = OneShot<Void>()
            try await loop.call { _ = loop.schedule(after: .seconds(3600)) {} }
            await loop.settle()
            try await loop.call { _ = loop.schedule(after: .milliseconds(1)) { fired.fulfil(()) } }
            try await fired.wait()
        }
    }

    @Test("that was cancelled does not fire, and lets go of its closure at once")
    func doesNotFireAfterCancel() async throws {
        final class Witness {}
        let clock = ManualClock()
        try await withEventLoop(clock: clock) { loop in
            let fired = Probe(0)
            try await loop.call {
                weak var witness: Witness?
                let timer: LoopTimer
                do {
                    let object = Witness()
                    witness = object
                    timer = loop.schedule(after: .seconds(1)) {
                        withExtendedLifetime(object) { fired.update { $0 += 1 } }
                    }
                }
                #expect(witness != nil)
                #expect(timer.isPending)
                timer.cancel()
                timer.cancel()
                #expect(!timer.isPending)
                #expect(witness == nil)
                timer.start(after: .zero)
                #expect(!timer.isPending)
            }
            clock.advance(by: .seconds(2))
            await loop.settle()
            #expect(fired.value == 0)
        }
    }

    @Test("may cancel another that is due in the same turn")
    func cancelsNeighbour() async throws {
        let clock = ManualClock()
        try await withEventLoop(clock: clock) { loop in
            let fired = Probe<[String]>([])
            try await loop.call {
                var second: LoopTimer?
                loop.schedule(after: .seconds(1)) {
                    fired.append("first")
                    second?.cancel()
                }
                second = loop.schedule(after: .seconds(1)) { fired.append("second") }
                loop.schedule(after: .seconds(1)) { fired.append("third") }
            }
            clock.advance(by: .seconds(1))
            try await fired.wait { $0.last == "third" }
            #expect(fired.value == ["first", "third"])
        }
    }

    @Test("that can be used again fires at its newest deadline only, each time it is set")
    func isReusable() async throws {
        let clock = ManualClock()
        try await withEventLoop(clock: clock) { loop in
            let fired = Probe(0)
            let timer = try await loop.call { Handover(loop.makeTimer { fired.update { $0 += 1 } }) }
            for round in 1...3 {
                try await loop.call {
                    timer.take().start(after: .seconds(1))
                    timer.take().start(after: .seconds(3))
                    #expect(loop.pendingTimerCount == 1)
                }
                clock.advance(by: .seconds(2))
                await loop.settle()
                #expect(fired.value == round - 1)
                clock.advance(by: .seconds(1))
                try await fired.wait { $0 == round }
            }
        }
    }

    @Test("set for now from a timer's closure waits for the next turn, so that a loop is not caught in its timers")
    func yieldsToOthers() async throws {
        try await withEventLoop { loop in
            let rounds = Probe(0)
            let end = OneShot<Void>()
            @Sendable func again() {
                rounds.update { $0 += 1 }
                if end.value == nil { loop.schedule(after: .zero, again) }
            }
            loop.execute(again)
            try await rounds.wait { $0 > 100 }
            await loop.settle()
            end.fulfil(())
            await loop.settle()
        }
    }

    /// Shared by the loop's thread and the test, one after the other.
    private struct Reference: Sendable {
        var pending: [Int: (deadline: MonotonicInstant, order: Int)] = [:]

        /// The timers due at `now`, in the order in which they must fire; they are then no longer pending.
        mutating func takeDue(at now: MonotonicInstant) -> [Int] {
            let due = pending.filter { $0.value.deadline <= now }
            pending = pending.filter { $0.value.deadline > now }
            return due.sorted { ($0.value.deadline, $0.value.order) < ($1.value.deadline, $1.value.order) }.map(\.key)
        }
    }

    @Test("fires in the order of deadlines, whatever is set, moved and cancelled", arguments: TestSeed.both)
    func agreesWithSortedList(seed: UInt64) async throws {
        let clock = ManualClock()
        let random = SeededRandom(seed: seed)
        try await withEventLoop(clock: clock) { loop in
            let fired = Probe<[Int]>([])
            let timers = try await loop.call {
                Handover((0..<300).map { id in loop.makeTimer { fired.append(id) } })
            }
            var reference = Reference()
            for round in 0..<TestScale.count(500) {
                let before = reference
                reference = try await loop.call {
                    var reference = before
                    for step in 0..<40 {
                        let id = random.uniform(0..<300)
                        if random.uniform(0..<3) == 0 {
                            timers.take()[id].cancel()
                            reference.pending[id] = nil
                        } else {
                            let deadline = clock.now() + .milliseconds(random.uniform(1..<1000))
                            timers.take()[id].start(at: deadline)
                            reference.pending[id] = (deadline, round * 40 + step)
                        }
                    }
                    #expect(loop.pendingTimerCount == reference.pending.count, TestSeed.comment(seed))
                    return reference
                }
                clock.advance(by: .milliseconds(random.uniform(0..<100)))
                await loop.settle()
                let due = reference.takeDue(at: clock.now())
                #expect(fired.value == due, TestSeed.comment(seed))
                fired.update { $0 = [] }
            }
        }
    }
}

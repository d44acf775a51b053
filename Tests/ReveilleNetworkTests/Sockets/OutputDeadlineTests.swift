import ReveilleNetwork
import ReveilleRuntime
import Testing

@Suite("Until when queued output must have left")
struct OutputDeadlineTests {
    private static func instant(_ seconds: Int64) -> MonotonicInstant {
        MonotonicInstant(milliseconds: seconds * 1_000)
    }

    @Test("nothing is over that has no instant")
    func none() {
        var deadline = OutputDeadline()
        deadline.close(at: 10)
        #expect(deadline.isEmpty)
        #expect(!deadline.isOver(at: Self.instant(1_000_000)))
    }

    @Test("the earliest instant of what is queued counts, from itself on")
    func earliest() {
        var deadline = OutputDeadline()
        deadline.note(Self.instant(7))
        deadline.note(Self.instant(5))
        deadline.note(Self.instant(9))
        deadline.close(at: 100)
        #expect(!deadline.isOver(at: Self.instant(4)))
        #expect(deadline.isOver(at: Self.instant(5)))
        deadline.left(upTo: 99)
        #expect(deadline.isOver(at: Self.instant(5)))
        deadline.left(upTo: 100)
        #expect(deadline.isEmpty)
    }

    @Test("an instant is forgotten after two portions, however long the output never runs dry")
    func neverDry() {
        var deadline = OutputDeadline()
        for portion in 1...UInt64(1_000) {
            deadline.note(Self.instant(Int64(portion) + 3))
            deadline.close(at: portion * 10)
            #expect(!deadline.isOver(at: Self.instant(Int64(portion))))
            // Half of the last portion is still here.
            deadline.left(upTo: portion * 10 - 5)
        }
        deadline.left(upTo: 10_000)
        #expect(deadline.isEmpty)
    }

    @Test("a later portion with an earlier instant is seen")
    func later() {
        var deadline = OutputDeadline()
        deadline.note(Self.instant(9))
        deadline.close(at: 10)
        deadline.note(Self.instant(5))
        deadline.close(at: 20)
        #expect(deadline.isOver(at: Self.instant(5)))
        deadline.left(upTo: 15)
        #expect(deadline.isOver(at: Self.instant(5)))
        deadline.left(upTo: 20)
        #expect(!deadline.isOver(at: Self.instant(100)))
    }
}

import ReveilleNetwork
import ReveilleRuntime
import Testing

@Suite("Whether the other side is still there")
struct ConnectionPulseTests {
    private static let start = MonotonicInstant(nanoseconds: 1_000_000_000_000)
    private var pulse = ConnectionPulse(openedAt: start)

    private func at(_ seconds: Int) -> MonotonicInstant { Self.start + .seconds(seconds) }

    @Test("an idle connection is asked after a minute and given up ten seconds later")
    mutating func idle() {
        #expect(pulse.tick(at: at(59), busySince: nil) == .nothing)
        #expect(pulse.nextTick(busySince: nil) == at(60))
        #expect(pulse.tick(at: at(60), busySince: nil) == .ask)
        #expect(pulse.isDoubtful(at: at(60)))
        #expect(pulse.tick(at: at(69), busySince: nil) == .nothing)
        #expect(pulse.nextTick(busySince: nil) == at(70))
        #expect(pulse.tick(at: at(70), busySince: nil) == .giveUp)
    }

    @Test("anything that is heard ends the doubt")
    mutating func heard() {
        #expect(pulse.tick(at: at(60), busySince: nil) == .ask)
        pulse.heard(at: at(61))
        #expect(!pulse.isDoubtful(at: at(61)))
        #expect(pulse.tick(at: at(120), busySince: nil) == .nothing)
        #expect(pulse.tick(at: at(121), busySince: nil) == .ask)
    }

    @Test("with requests under way silence of five seconds is asked about, counted from the request")
    mutating func busy() {
        #expect(pulse.nextTick(busySince: at(40)) == at(45))
        #expect(pulse.tick(at: at(44), busySince: at(40)) == .nothing)
        #expect(pulse.tick(at: at(45), busySince: at(40)) == .ask)
        #expect(pulse.isSilent(since: at(40)))
        #expect(pulse.tick(at: at(50), busySince: at(40)) == .giveUp)
        pulse.heard(at: at(50))
        #expect(!pulse.isSilent(since: at(40)))
    }

    @Test("a connection that was idle is asked before use, and has five seconds to answer")
    mutating func needed() {
        #expect(pulse.needed(at: at(59)) == .nothing)
        #expect(pulse.needed(at: at(61)) == .ask)
        #expect(pulse.needed(at: at(62)) == .nothing)
        #expect(pulse.nextTick(busySince: nil) == at(66))
        #expect(pulse.tick(at: at(66), busySince: nil) == .giveUp)
    }

    @Test("a question that was asked at leisure becomes urgent when the connection is needed")
    mutating func urgent() {
        #expect(pulse.tick(at: at(60), busySince: nil) == .ask)
        #expect(pulse.needed(at: at(61)) == .nothing)
        #expect(pulse.nextTick(busySince: nil) == at(66))
        #expect(pulse.needed(at: at(64)) == .nothing)
        #expect(pulse.nextTick(busySince: nil) == at(66))
    }
}

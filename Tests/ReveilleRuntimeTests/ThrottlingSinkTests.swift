import ReveilleRuntime
import ReveilleTelemetry
import ReveilleTesting
import Testing

private enum Trouble: String, CaseIterable {
    case slowPeer = "slow_peer"
    case badPeer = "bad_peer"
}

@Suite("A kind of line fills a bounded part of the log")
struct ThrottlingSinkTests {
    private let clock = ManualClock()
    private let kept = MemorySink()
    private let log: Log

    init() {
        log = Log(level: .debug, sink: ThrottlingSink(kept, clock: clock), component: "api")
    }

    private func refuse(_ times: Int, _ why: Trouble = .slowPeer) {
        for number in 0..<times {
            log.info("refused", ["why": .code(why), "request": .fingerprint(UInt64(number)), "took": .integer(number)])
        }
    }

    @Test("ten of a kind pass in a minute, and when it is over a line says how many did not")
    func bounded() {
        refuse(1_000)
        #expect(kept.lines.count == ThrottlingSink.linesPerMinute)
        clock.advance(by: .milliseconds(59_999))
        refuse(1)
        #expect(kept.lines.count == 10)
        clock.advance(by: .milliseconds(1))
        refuse(1)
        #expect(kept.lines.count == 12)
        let summary = kept.lines[10]
        #expect(summary.message.description == "refused" && summary.component.description == "api")
        #expect(summary.level == .info)
        #expect(summary["suppressed"] == .integer(991) && summary["why"] == .code(Trouble.slowPeer))
        #expect(summary["request"] == nil && summary["took"] == nil)
        #expect(kept.lines[11]["request"] == .fingerprint(0))
    }

    @Test("another line brings the count of a kind that came no more, once")
    func otherLine() {
        refuse(15)
        clock.advance(by: .seconds(60))
        log.notice("another")
        clock.advance(by: .seconds(60))
        log.notice("another")
        #expect(kept.lines.dropFirst(10).map(\.message.description) == ["refused", "another", "another"])
        #expect(kept.lines[10]["suppressed"] == .integer(5))
    }

    @Test("nothing is said of a kind of which nothing was left out")
    func nothingSuppressed() {
        refuse(10)
        clock.advance(by: .seconds(61))
        refuse(1)
        #expect(kept.lines.count == 11 && kept.lines.allSatisfy { $0["suppressed"] == nil })
    }

    @Test("kinds differ by component, message and closed words, and not by numbers or names of requests")
    func kinds() {
        refuse(11)
        refuse(11, .badPeer)
        for _ in 0..<11 { log.scoped("other").info("refused", ["why": .code(Trouble.slowPeer)]) }
        for _ in 0..<11 { log.info("answered", ["why": .code(Trouble.slowPeer)]) }
        #expect(kept.lines.count == 40)
    }

    @Test("more kinds than are told apart share one bound")
    func manyKinds() {
        for number in 0..<10_000 { log.info("refused", ["host": .configured("host-\(number)")]) }
        #expect(kept.lines.count == ThrottlingSink.maximumKinds + ThrottlingSink.linesPerMinute)
    }

    @Test("what was asked for with the level debug passes whole")
    func debug() {
        for _ in 0..<100 { log.debug("step") }
        #expect(kept.lines.count == 100)
    }
}

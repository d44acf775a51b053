import ReveilleCore
import Testing

@Suite("Merging")
struct MergeRuleTests {
    private func visible(_ name: String) throws -> MergeRule.Key {
        let collapse: CollapseID = try #require(CollapseID(stored: name))
        return MergeRule.Key(mode: .privateAlert, collapse: collapse)
    }

    private let silent = MergeRule.Key(mode: .backgroundWake, collapse: nil)

    @Test("a wake of the same mode and collapse id takes the delivery, wherever it waits")
    func sameKey() throws {
        let waiting = [silent, try visible("a"), try visible("b")]
        #expect(MergeRule.decide(try visible("b"), waiting: waiting, combined: nil) == .absorb(into: 2))
        #expect(MergeRule.decide(silent, waiting: waiting, combined: nil) == .absorb(into: 0))
    }

    @Test("silent wakes are one whatever their collapse id")
    func silentOnes() throws {
        let marked = MergeRule.Key(mode: .backgroundWake, collapse: CollapseID(stored: "x"))
        #expect(marked == silent)
        #expect(MergeRule.decide(marked, waiting: [silent], combined: nil) == .absorb(into: 0))
    }

    @Test("another collapse id, or another mode, waits beside the others")
    func otherKey() throws {
        #expect(MergeRule.decide(try visible("a"), waiting: [], combined: nil) == .insert)
        #expect(MergeRule.decide(try visible("a"), waiting: [silent, try visible("b")], combined: nil) == .insert)
        #expect(MergeRule.decide(silent, waiting: [try visible("b")], combined: nil) == .insert)
    }

    @Test("the sixth visible wake makes all six one", arguments: 0...8)
    func sixth(count: Int) throws {
        var waiting = [silent]
        for index in 0..<count { waiting.append(try visible("c\(index)")) }
        let decision = MergeRule.decide(try visible("new"), waiting: waiting, combined: nil)
        #expect(decision == (count < 5 ? .insert : .combine(indices: Array(1...max(count, 1)))))
        #expect(MergeRule.decide(silent, waiting: Array(waiting.dropFirst()), combined: nil) == .insert)
    }

    @Test("of a full queue the same series is still absorbed by its own wake")
    func fullQueueWithSameSeries() throws {
        let waiting = try (0..<5).map { try visible("c\($0)") }
        #expect(MergeRule.decide(try visible("c3"), waiting: waiting, combined: nil) == .absorb(into: 3))
    }

    @Test("a wake that stands for six takes every later visible one, and no silent one")
    func combined() throws {
        let waiting = [silent, try visible("six"), try visible("a")]
        #expect(MergeRule.decide(try visible("a"), waiting: waiting, combined: 1) == .absorb(into: 1))
        #expect(MergeRule.decide(try visible("new"), waiting: waiting, combined: 1) == .absorb(into: 1))
        #expect(MergeRule.decide(silent, waiting: Array(waiting.dropFirst()), combined: 0) == .insert)
    }

    @Test("verifications take no part")
    func verifications() {
        #expect(WakeReason.allCases.filter { !MergeRule.takesPart($0) } == [.verify])
    }
}

import ReaderFuzzing
import ReveilleRuntime
import ReveilleTesting
import Testing

@Suite("Every input that a reader may get keeps its properties")
struct CorpusReplayTests {
    @Test("the known inputs", arguments: FuzzTarget.all)
    func known(target: FuzzTarget) throws {
        let inputs = try target.seeds + CorpusFile.inputs(target)
        var accepted = 0
        for input in inputs {
            do {
                if try target.check(input) == .accepted { accepted += 1 }
            } catch {
                Issue.record("\(error): \(CorpusText.line(input))")
            }
        }
        #expect(accepted >= 3, "the properties of accepted inputs were put to the proof")
    }

    @Test("mutations of the known inputs", arguments: FuzzTarget.all, TestSeed.both)
    func mutated(target: FuzzTarget, seed: UInt64) async throws {
        let inputs = try target.seeds + CorpusFile.inputs(target)
        let mutation = Mutation(random: SeededRandom(seed: seed), words: target.words)
        var verdicts: [FuzzTarget.Verdict: Int] = [:]
        for _ in 0..<TestScale.count(20_000) {
            let input = mutation.next(of: inputs)
            do {
                verdicts[try target.check(input), default: 0] += 1
            } catch {
                Issue.record("\(error): \(CorpusText.line(input)), \(TestSeed.comment(seed))")
                return
            }
            await Task.yield()
        }
        // The few hundred inputs of a sanitizer's run say nothing of how often each verdict comes.
        guard TestScale.current != .sanitizer else { return }
        #expect(verdicts[.accepted, default: 0] > 0, TestSeed.comment(seed))
        #expect(verdicts.count >= 3, "several ways to refuse, not \(verdicts.keys), \(TestSeed.comment(seed))")
    }
}

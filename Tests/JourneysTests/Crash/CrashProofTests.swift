import ReveilleRuntime
import ReveilleTesting
import Testing

@Suite(
    "Servers that crash during a stream of posts lose nothing and show nothing twice", .serialized,
    .timeLimit(.minutes(TestScale.current == .soak ? 240 : 14)),
    .enabled(if: ProgramProcess.path != nil, "the program is not built"))
struct CrashProofTests {
    /// Rounds on one store, so that a run of thousands does not outgrow the emulator's history.
    private static let roundsPerStore = 100

    /// Findings of a store that are shown one by one.
    private static let findingsShown = 10

    @Test("what a 202 promised arrives, once", arguments: TestSeed.both)
    func crashes(seed: UInt64) async throws {
        var left = TestScale.count(200) / TestSeed.both.count
        let seeds = SeededRandom(seed: seed)
        let start = SystemMonotonicClock().now()
        var figures = CrashFigures()
        while left > 0 {
            let rounds = min(left, Self.roundsPerStore)
            figures = figures + (try await run(seed: seeds.uint64(), rounds: rounds, TestSeed.comment(seed)))
            left -= rounds
        }
        let seconds = (SystemMonotonicClock().now().nanoseconds - start.nanoseconds) / 1_000_000_000
        print("crash proof, seed \(seed): \(figures), in \(seconds) s")
        #expect(figures.crashesInFlight * 3 >= figures.crashes, "too few crashes with requests in flight: \(figures)")
    }

    /// Runs rounds on a store of their own; the folder stays for a look when something is wrong.
    private func run(seed: UInt64, rounds: Int, _ comment: Comment) async throws -> CrashFigures {
        let directory = try TemporaryDirectory.make()
        let outcome: CrashRun.Outcome
        do {
            outcome = try await CrashRun.run(seed: seed, rounds: rounds, folder: directory.path)
        } catch {
            Issue.record("\(error); \(comment); see \(directory.path)")
            throw error
        }
        let findings = CrashJudge(outcome.evidence).findings()
        for finding in findings.prefix(Self.findingsShown) {
            Issue.record("\(finding), rounds \(outcome.evidence.rounds(of: finding))")
        }
        #expect(findings.count == 0, "\(comment); see \(directory.path)")
        #expect(outcome.figures.crashes == rounds)
        if findings.isEmpty { directory.remove() }
        return outcome.figures
    }
}

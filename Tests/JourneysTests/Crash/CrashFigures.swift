/// What a run of crashes amounted to, in one line.
struct CrashFigures: Sendable, CustomStringConvertible {
    var crashes = 0
    /// Crashes at whose moment Apple had received requests and not answered them, by Apple's own count.
    var crashesInFlight = 0
    /// Answers of 202, those to repeated posts included.
    var postsAnswered = 0
    var promises = 0
    var pushes = 0
    var repeats = 0
    /// Wakes that stand for more than one delivery.
    var mergedWakes = 0

    init() {}

    init(_ progress: CrashRun.Progress, _ evidence: CrashEvidence, postsAnswered: Int) {
        crashes = progress.crashes
        crashesInFlight = progress.crashesInFlight
        self.postsAnswered = postsAnswered
        promises = evidence.promises.count
        pushes = evidence.pushes.count
        repeats = CrashJudge(evidence).repeats
        mergedWakes = evidence.wakes.count { $0.deliveries.count > 1 }
    }

    static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum.crashes += right.crashes
        sum.crashesInFlight += right.crashesInFlight
        sum.postsAnswered += right.postsAnswered
        sum.promises += right.promises
        sum.pushes += right.pushes
        sum.repeats += right.repeats
        sum.mergedWakes += right.mergedWakes
        return sum
    }

    var description: String {
        "\(crashes) crashes, \(crashesInFlight) with requests in flight; \(postsAnswered) posts answered, "
            + "\(promises) deliveries promised to devices; \(pushes) pushes, \(repeats) of them repeats, "
            + "\(mergedWakes) wakes for several deliveries"
    }
}

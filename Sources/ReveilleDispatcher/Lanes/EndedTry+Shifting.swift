import ReveilleStorage

extension EndedTry {
    /// The same end, by a wall clock that was set to another time.
    func shifted(by milliseconds: Int64) -> EndedTry {
        EndedTry(
            wake: wake, leaseToken: leaseToken, outcome: outcome, status: status,
            startedAtMilliseconds: startedAtMilliseconds + milliseconds,
            endedAtMilliseconds: endedAtMilliseconds + milliseconds)
    }
}

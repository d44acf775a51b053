extension EventLoop {
    /// Waits on the loop's clock.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled, or when the loop stops.
    package func sleep(for duration: Duration) async throws(CancellationError) {
        try await sleep(until: clock.now() + duration)
    }

    /// Waits until the loop's clock shows `deadline`.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled, or when the loop stops.
    package func sleep(until deadline: MonotonicInstant) async throws(CancellationError) {
        let sleeper = LoopSleepers.Sleeper()
        execute { self.sleepers.add(sleeper, until: deadline, on: self) }
        let outcome: LoopSleepers.Outcome
        do {
            outcome = try await sleeper.end.wait()
        } catch {
            execute { self.sleepers.remove(sleeper) }
            throw error
        }
        switch outcome {
        case .onTime: return
        case .loopStopped: throw CancellationError()
        }
    }
}

package import ReveilleDispatcher

extension DispatcherOptions {
    /// What an operator's settings say about sending.
    package init(_ settings: HomeSettings) {
        self.init()
        limits.leaseMilliseconds = Int64(settings.leaseSeconds) * 1_000
        // Whoever takes over finds a lease that ran out before another one could run out.
        sweepInterval = min(sweepInterval, .seconds(settings.leaseSeconds))
        drainLimit = .seconds(settings.drainSeconds)
    }
}

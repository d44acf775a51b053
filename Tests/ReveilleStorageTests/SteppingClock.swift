import ReveilleRuntime

/// A clock on which each reading is so much later that a transaction takes in one operation only.
struct SteppingClock: MonotonicClock {
    private let instant = Locked(MonotonicInstant(milliseconds: 1_000_000))

    func now() -> MonotonicInstant {
        instant.withLock { instant in
            instant = instant + .milliseconds(11)
            return instant
        }
    }

    var isMovedByHand: Bool { true }
}

internal import Synchronization

/// Which step fails, counted over all connections of one faulty file system; safe on any thread.
final class FaultPlan: Sendable {
    private let taken = Atomic<Int>(0)
    private let failing = Atomic<Int>(0)
    private let failed = Atomic<Bool>(false)
    private let full = Atomic<Bool>(false)

    /// Steps since the last order.
    var steps: Int { taken.load(ordering: .sequentiallyConsistent) }

    /// Whether the chosen step was reached.
    var hasFailed: Bool { failed.load(ordering: .sequentiallyConsistent) }

    /// Whether writes find no room.
    var isFull: Bool { full.load(ordering: .sequentiallyConsistent) }

    func arm(step: Int) {
        taken.store(0, ordering: .sequentiallyConsistent)
        failed.store(false, ordering: .sequentiallyConsistent)
        failing.store(step, ordering: .sequentiallyConsistent)
    }

    func disarm() {
        failing.store(0, ordering: .sequentiallyConsistent)
    }

    func setFull(_ isFull: Bool) {
        full.store(isFull, ordering: .sequentiallyConsistent)
    }

    /// Counts a step; false when it is the one that fails.
    func mayPass() -> Bool {
        let number = taken.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
        guard number == failing.load(ordering: .sequentiallyConsistent) else { return true }
        failed.store(true, ordering: .sequentiallyConsistent)
        return false
    }
}

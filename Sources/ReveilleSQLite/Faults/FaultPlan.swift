internal import Synchronization

/// Which step fails, counted over all connections of one faulty file system; safe on any thread.
final class FaultPlan: Sendable {
    private let taken = Atomic<Int>(0)
    private let failing = Atomic<Int>(0)
    private let failed = Atomic<Bool>(false)
    private let refusal = Atomic<Int32>(0)

    /// Steps since the last order.
    var steps: Int { taken.load(ordering: .sequentiallyConsistent) }

    /// Whether the chosen step was reached.
    var hasFailed: Bool { failed.load(ordering: .sequentiallyConsistent) }

    /// The result code that every write comes to; 0 when they succeed.
    var writeRefusal: Int32 { refusal.load(ordering: .sequentiallyConsistent) }

    func arm(step: Int) {
        taken.store(0, ordering: .sequentiallyConsistent)
        failed.store(false, ordering: .sequentiallyConsistent)
        failing.store(step, ordering: .sequentiallyConsistent)
    }

    func disarm() {
        failing.store(0, ordering: .sequentiallyConsistent)
    }

    func refuseWrites(with code: Int32) {
        refusal.store(code, ordering: .sequentiallyConsistent)
    }

    /// Counts a step; false when it is the one that fails.
    func mayPass() -> Bool {
        let number = taken.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
        guard number == failing.load(ordering: .sequentiallyConsistent) else { return true }
        failed.store(true, ordering: .sequentiallyConsistent)
        return false
    }
}

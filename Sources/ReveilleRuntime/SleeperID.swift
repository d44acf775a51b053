import Synchronization

/// Numbers for sleeping tasks, unique in the process.
enum SleeperID {
    private static let counter = Atomic<UInt64>(0)

    static func next() -> UInt64 {
        counter.add(1, ordering: .relaxed).newValue
    }
}

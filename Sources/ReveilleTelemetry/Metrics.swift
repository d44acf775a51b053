internal import ReveilleRuntime
import Synchronization

/// One number of a series that only rises: counting is one atomic addition, from any thread.
package final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    init() {}

    /// Counts `amount` more; it must not be negative.
    package func increment(by amount: Int = 1) {
        count.wrappingAdd(amount, ordering: .relaxed)
    }

    /// The count so far.
    package var value: Int { count.load(ordering: .relaxed) }
}

/// One number that rises and falls.
package final class Gauge: Sendable {
    private let number = Atomic<Int>(0)

    init() {}

    /// Sets the number.
    package func set(_ value: Int) {
        number.store(value, ordering: .relaxed)
    }

    /// Adds to the number; a negative amount takes away.
    package func add(_ amount: Int) {
        number.wrappingAdd(amount, ordering: .relaxed)
    }

    /// The number.
    package var value: Int { number.load(ordering: .relaxed) }
}

/// How often values fell into each of a fixed list of ranges.
package final class Histogram: Sendable {
    /// What the numbers mean: durations are kept in nanoseconds and shown in seconds.
    package enum Unit: Sendable {
        case seconds
        case count
    }

    let unit: Unit
    /// The inclusive upper bounds, ascending, in nanoseconds or counts.
    let bounds: [Int]
    private let buckets: [Counter]
    private let sum = Atomic<Int>(0)

    init(unit: Unit, bounds: [Int]) {
        self.unit = unit
        self.bounds = bounds
        buckets = (0...bounds.count).map { _ in Counter() }
    }

    /// Notes a duration.
    package func observe(_ duration: Duration) {
        observe(Int(duration.saturatedNanoseconds))
    }

    /// Notes a count, or nanoseconds.
    package func observe(_ value: Int) {
        var low = 0
        var high = bounds.count
        while low < high {
            let middle = (low + high) / 2
            if value <= bounds[middle] { high = middle } else { low = middle + 1 }
        }
        buckets[low].increment()
        sum.wrappingAdd(value, ordering: .relaxed)
    }

    /// The counts of each range, the last one without upper bound.
    package var counts: [Int] { buckets.map(\.value) }
    /// The sum of all values, in nanoseconds or counts.
    package var total: Int { sum.load(ordering: .relaxed) }
}

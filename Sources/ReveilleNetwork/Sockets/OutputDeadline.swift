package import ReveilleRuntime

/// Until when what is queued on a connection must be with the kernel.
///
/// A process that was stopped may go on with bytes that it prepared before, of requests that are another's meanwhile. Each
/// request has its own instant; of these the earliest of two portions of the output is kept, so that an instant is forgotten when
/// two portions have left, however long the output never runs dry.
package struct OutputDeadline: Sendable {
    private struct Portion {
        var deadline: MonotonicInstant
        /// The place in the connection's whole output where the portion ends.
        var end: UInt64
    }

    /// The earliest instant of what is being queued.
    private var noted: MonotonicInstant?
    private var first: Portion?
    private var second: Portion?

    /// Nothing that must leave.
    package init() {}

    /// Whether nothing needs to be looked after.
    package var isEmpty: Bool { noted == nil && first == nil }

    /// What is queued until the next ``close(at:)`` must leave by an instant.
    package mutating func note(_ deadline: MonotonicInstant) {
        noted = min(noted ?? deadline, deadline)
    }

    /// The output was queued as far as a place.
    package mutating func close(at end: UInt64) {
        guard let deadline = noted else { return }
        noted = nil
        if first == nil {
            first = Portion(deadline: deadline, end: end)
        } else {
            second = Portion(deadline: min(second?.deadline ?? deadline, deadline), end: end)
        }
    }

    /// The kernel has the output as far as a place.
    package mutating func left(upTo place: UInt64) {
        while let portion = first, portion.end <= place {
            first = second
            second = nil
        }
    }

    /// Whether something still queued is too late.
    package func isOver(at now: MonotonicInstant) -> Bool {
        guard let first else { return false }
        return min(first.deadline, second?.deadline ?? first.deadline) <= now
    }
}

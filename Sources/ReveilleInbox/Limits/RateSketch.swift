package import ReveilleRuntime

/// A token bucket for each of any number of keys, in memory of a fixed size.
///
/// Each key has one cell in each row of a table; the emptiest of its cells counts, and taking fills
/// only cells that lag behind (a count-min sketch with conservative update, the buckets in the
/// form of the generic cell rate algorithm). Nobody can evict a key by sending others, and a flood of
/// keys costs no memory. Two keys disturb each other only where all their cells collide.
package final class RateSketch: Sendable {
    /// Rows of the table: a key is limited wrongly only when as many collisions meet.
    package static let rows = 4
    /// Cells in a row; all rows together take 512 KiB.
    package static let columns = 16_384

    private let limit: RateLimit
    private let clock: any MonotonicClock
    private let seeds: [UInt64]
    private let cells: Locked<[Int64]>

    /// Makes full buckets for all keys.
    package init(_ limit: RateLimit, clock: any MonotonicClock, random: any RandomSource) {
        self.limit = limit
        self.clock = clock
        seeds = (0..<Self.rows).map { _ in random.uint64() }
        cells = Locked([Int64](repeating: .min, count: Self.rows * Self.columns))
    }

    /// Takes one unit of a key's bucket.
    ///
    /// - Returns: nil when it was there, else how many seconds until it will be (at least 1).
    package func take(_ key: some Hashable) -> Int64? {
        var hasher = Hasher()
        hasher.combine(key)
        let places = places(of: UInt64(bitPattern: Int64(hasher.finalize())))
        let now = clock.now().nanoseconds
        let horizon = Self.sum(now, limit.intervalNanoseconds, times: limit.burst)
        let interval = limit.intervalNanoseconds
        return cells.withLock { cells in
            var earliest = Int64.max
            for place in places { earliest = min(earliest, cells[place]) }
            let filled = Self.sum(max(earliest, now), interval, times: 1)
            guard filled <= horizon else { return Self.seconds(filled - horizon) }
            for place in places where cells[place] < filled { cells[place] = filled }
            return nil
        }
    }

    /// `start` + `step` × `times`, held at the end of the range.
    private static func sum(_ start: Int64, _ step: Int64, times: Int64) -> Int64 {
        let (product, isTooLong) = step.multipliedReportingOverflow(by: times)
        let (sum, isTooLate) = start.addingReportingOverflow(product)
        return isTooLong || isTooLate ? .max : sum
    }

    private static func seconds(_ nanoseconds: Int64) -> Int64 {
        max(1, (max(nanoseconds, 0) + 999_999_999) / 1_000_000_000)
    }

    private func places(of key: UInt64) -> [Int] {
        (0..<Self.rows).map { row in
            row * Self.columns + Int(Self.mix(key ^ seeds[row]) % UInt64(Self.columns))
        }
    }

    /// The finaliser of splitmix64: every input bit changes every output bit.
    private static func mix(_ value: UInt64) -> UInt64 {
        var value = value
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

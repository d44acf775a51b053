import Foundation

/// Looks for a pattern in the writable memory of this process, without ever holding a copy of the pattern.
enum MemorySearch {
    /// The byte of the pattern at `index`.
    static func patternByte(_ index: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: (index &* 73) ^ (index >> 3) ^ 0xA5)
    }

    /// How often the pattern's middle is in memory.
    ///
    /// The start is left out: a freed block's first words are the allocator's.
    static func patternCount() -> Int {
        writableRegions().reduce(0) { $0 + occurrences(in: $1) }
    }

    private static let middle = 64..<192

    private static func occurrences(in region: UnsafeRawBufferPointer) -> Int {
        let first = Int32(patternByte(middle.lowerBound))
        var count = 0
        var next = 0
        while next + middle.count <= region.count, let start = region.baseAddress {
            // The first byte is looked for at the speed of C, the rest is compared where it is found.
            guard let found = memchr(start + next, first, region.count - next) else { return count }
            let offset = start.distance(to: UnsafeRawPointer(found))
            var length = 0
            while length < middle.count, offset + length < region.count,
                region[offset + length] == patternByte(middle.lowerBound + length)
            { length += 1 }
            if length == middle.count { count += 1 }
            next = offset + 1
        }
        return count
    }

    /// The heaps: anonymous private mappings that can be read and written.
    private static func writableRegions() -> [UnsafeRawBufferPointer] {
        guard let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8) else { return [] }
        return maps.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            guard fields.count == 5 || fields.last == "[heap]", fields[1] == "rw-p" else { return nil }
            let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard ends.count == 2, let start = UnsafeRawPointer(bitPattern: ends[0]) else { return nil }
            return UnsafeRawBufferPointer(start: start, count: Int(ends[1] - ends[0]))
        }
    }
}

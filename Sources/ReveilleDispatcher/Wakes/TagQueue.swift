/// A growable first-in-first-out queue of tags in one ring of memory; no allocation once warm.
struct TagQueue {
    private var ring: [UInt64]
    private var head = 0
    private(set) var count = 0

    init(capacity: Int = 64) {
        var size = 1
        while size < capacity { size *= 2 }
        ring = Array(repeating: 0, count: size)
    }

    var isEmpty: Bool { count == 0 }

    /// The tag that comes out next.
    var first: UInt64? { count == 0 ? nil : ring[head] }

    mutating func append(_ tag: UInt64) {
        if count == ring.count { grow() }
        ring[(head + count) & (ring.count - 1)] = tag
        count += 1
    }

    /// Puts a tag before all others.
    mutating func prepend(_ tag: UInt64) {
        if count == ring.count { grow() }
        head = (head - 1) & (ring.count - 1)
        ring[head] = tag
        count += 1
    }

    mutating func popFirst() -> UInt64? {
        guard count > 0 else { return nil }
        let tag = ring[head]
        head = (head + 1) & (ring.count - 1)
        count -= 1
        return tag
    }

    mutating func removeAll() {
        head = 0
        count = 0
    }

    private mutating func grow() {
        var larger = Array(repeating: UInt64(0), count: ring.count * 2)
        for index in 0..<count { larger[index] = ring[(head + index) & (ring.count - 1)] }
        ring = larger
        head = 0
    }
}

internal import ReveilleRuntime

/// The deadlines of the streams of a connection, in order, without a timer for each.
///
/// All streams are given the same time, so the order of their deadlines is that of their starts: a linked list over room
/// numbers, in memory that grows with the highest number and is used again.
final class DeadlineQueue {
    private struct Link {
        var deadline: Int64 = 0
        var next: Int32 = -1
        var previous: Int32 = -1
        var isQueued = false
    }

    private var links: UnsafeMutablePointer<Link>
    private var capacity: Int
    private var first: Int32 = -1
    private var last: Int32 = -1

    /// A queue with room for room numbers below `capacity`; higher ones make it grow.
    init(capacity: Int = 16) {
        self.capacity = max(capacity, 1)
        links = .allocate(capacity: self.capacity)
        links.initialize(repeating: Link(), count: self.capacity)
    }

    deinit { links.deallocate() }

    /// Whether no stream has a deadline.
    var isEmpty: Bool { first < 0 }

    /// The earliest deadline and the room it belongs to.
    var earliest: (room: Int, deadline: MonotonicInstant)? {
        guard first >= 0 else { return nil }
        return (Int(first), MonotonicInstant(nanoseconds: links[Int(first)].deadline))
    }

    /// Adds a deadline that is not earlier than those before.
    func append(_ room: Int, _ deadline: MonotonicInstant) {
        if room >= capacity { grow(to: room + 1) }
        precondition(!links[room].isQueued, "a room has one deadline")
        links[room] = Link(deadline: deadline.nanoseconds, next: -1, previous: last, isQueued: true)
        if last >= 0 { links[Int(last)].next = Int32(room) } else { first = Int32(room) }
        last = Int32(room)
    }

    /// Takes a room's deadline out; does nothing when it has none.
    func remove(_ room: Int) {
        guard room < capacity, links[room].isQueued else { return }
        let link = links[room]
        if link.previous >= 0 { links[Int(link.previous)].next = link.next } else { first = link.next }
        if link.next >= 0 { links[Int(link.next)].previous = link.previous } else { last = link.previous }
        links[room].isQueued = false
    }

    private func grow(to minimum: Int) {
        let grown = max(minimum, capacity * 2)
        let moved = UnsafeMutablePointer<Link>.allocate(capacity: grown)
        moved.moveInitialize(from: links, count: capacity)
        (moved + capacity).initialize(repeating: Link(), count: grown - capacity)
        links.deallocate()
        links = moved
        capacity = grown
    }
}

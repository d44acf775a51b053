/// The timers of a loop that are set, ordered by deadline, and among equal deadlines by the order in which they were set.
///
/// A binary heap of plain entries, beside a table of slots that hold the timers. Stopping a timer empties its slot and raises
/// the slot's generation, in constant time; the entry that it leaves behind is stale, and goes when it reaches the top, or with
/// all others when they are the majority.
///
/// No operation lets go of a last reference while it changes the heap: timers are moved out to the caller, for what their
/// closures hold may use the loop when it ends.
struct TimerHeap {
    /// Where a timer that is set stands.
    struct Ticket {
        fileprivate let index: UInt32
        fileprivate let generation: UInt32
    }

    private struct Entry {
        let deadline: Int64
        let sequence: UInt64
        let ticket: Ticket

        static func precedes(_ a: Entry, _ b: Entry) -> Bool {
            a.deadline == b.deadline ? a.sequence < b.sequence : a.deadline < b.deadline
        }
    }

    private struct Slot {
        var generation: UInt32 = 0
        var timer: LoopTimer?
    }

    /// Below this many entries stale ones are not worth a sweep.
    private static let smallestSweep = 64

    private var entries: [Entry] = []
    private var slots: [Slot] = []
    private var free: [UInt32] = []
    private var nextSequence: UInt64 = 0

    /// How many timers are set.
    var count: Int { slots.count - free.count }

    /// A number above that of every timer set so far.
    var sequenceLimit: UInt64 { nextSequence }

    /// Sets a timer.
    mutating func insert(_ timer: LoopTimer, deadline: MonotonicInstant) -> Ticket {
        if free.isEmpty {
            free.append(UInt32(slots.count))
            slots.append(Slot())
        }
        let index = free.removeLast()
        slots[Int(index)].timer = timer
        let ticket = Ticket(index: index, generation: slots[Int(index)].generation)
        entries.append(Entry(deadline: deadline.nanoseconds, sequence: nextSequence, ticket: ticket))
        nextSequence += 1
        siftUp(entries.count - 1)
        return ticket
    }

    /// Stops a timer and moves it out.
    mutating func remove(_ ticket: Ticket) -> LoopTimer? {
        let timer = vacate(ticket)
        sweepIfMostlyStale()
        return timer
    }

    /// The deadline of the timer that fires next.
    mutating func earliest() -> MonotonicInstant? {
        while let first = entries.first {
            guard isStale(first) else { return MonotonicInstant(nanoseconds: first.deadline) }
            removeFirst()
        }
        return nil
    }

    /// Moves out the next timer that is due at `now` and was set before `sequenceLimit`.
    mutating func popDue(at now: MonotonicInstant, before sequenceLimit: UInt64) -> LoopTimer? {
        guard let deadline = earliest(), deadline <= now, let first = entries.first,
            first.sequence < sequenceLimit
        else { return nil }
        removeFirst()
        return vacate(first.ticket)
    }

    private func isStale(_ entry: Entry) -> Bool {
        slots[Int(entry.ticket.index)].generation != entry.ticket.generation
    }

    private mutating func vacate(_ ticket: Ticket) -> LoopTimer? {
        let index = Int(ticket.index)
        guard index < slots.count, slots[index].generation == ticket.generation else { return nil }
        let timer = slots[index].timer
        slots[index].timer = nil
        slots[index].generation &+= 1
        free.append(ticket.index)
        return timer
    }

    private mutating func sweepIfMostlyStale() {
        guard entries.count >= Self.smallestSweep, entries.count > count * 2 else { return }
        let slots = slots
        entries.removeAll { slots[Int($0.ticket.index)].generation != $0.ticket.generation }
        for index in stride(from: entries.count / 2 - 1, through: 0, by: -1) { siftDown(index) }
    }

    private mutating func removeFirst() {
        guard let last = entries.popLast(), !entries.isEmpty else { return }
        entries[0] = last
        siftDown(0)
    }

    private mutating func siftUp(_ start: Int) {
        let entry = entries[start]
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard Entry.precedes(entry, entries[parent]) else { break }
            entries[index] = entries[parent]
            index = parent
        }
        entries[index] = entry
    }

    private mutating func siftDown(_ start: Int) {
        let entry = entries[start]
        var index = start
        while true {
            var child = 2 * index + 1
            guard child < entries.count else { break }
            if child + 1 < entries.count, Entry.precedes(entries[child + 1], entries[child]) { child += 1 }
            guard Entry.precedes(entries[child], entry) else { break }
            entries[index] = entries[child]
            index = child
        }
        entries[index] = entry
    }
}

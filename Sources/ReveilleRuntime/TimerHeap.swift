/// The timers of a loop, ordered by deadline, and among equal deadlines by the order in which they were set.
///
/// A binary heap of small entries. Stopping a timer only makes its entry stale, in constant time; stale entries go when they
/// reach the top, or all at once when they are the majority.
struct TimerHeap {
    struct Entry {
        let deadline: MonotonicInstant
        let sequence: UInt64
        let timer: LoopTimer
        let setting: UInt64

        /// Whether the timer was stopped or set anew since.
        var isStale: Bool { timer.setting != setting }

        static func precedes(_ a: Entry, _ b: Entry) -> Bool {
            a.deadline == b.deadline ? a.sequence < b.sequence : a.deadline < b.deadline
        }
    }

    /// Below this many entries stale ones are not worth a sweep.
    private static let smallestSweep = 64

    private var entries: [Entry] = []
    private var nextSequence: UInt64 = 0
    private var staleCount = 0

    /// How many timers will fire.
    var count: Int { entries.count - staleCount }

    /// A number above that of every timer set so far.
    var sequenceLimit: UInt64 { nextSequence }

    mutating func insert(_ timer: LoopTimer, deadline: MonotonicInstant) {
        entries.append(
            Entry(
                deadline: deadline, sequence: nextSequence, timer: timer, setting: timer.setting))
        nextSequence += 1
        siftUp(entries.count - 1)
    }

    /// Notes that one entry became stale.
    mutating func entryBecameStale() {
        staleCount += 1
        guard entries.count >= Self.smallestSweep, staleCount * 2 > entries.count else { return }
        entries.removeAll { $0.isStale }
        staleCount = 0
        for index in stride(from: entries.count / 2 - 1, through: 0, by: -1) { siftDown(index) }
    }

    /// The deadline of the timer that fires next.
    mutating func earliest() -> MonotonicInstant? {
        while let first = entries.first, first.isStale {
            removeFirst()
            staleCount -= 1
        }
        return entries.first?.deadline
    }

    /// Takes out the next timer that is due at `now` and was set before `sequenceLimit`.
    mutating func popDue(at now: MonotonicInstant, before sequenceLimit: UInt64) -> LoopTimer? {
        guard let deadline = earliest(), deadline <= now, let first = entries.first,
            first.sequence < sequenceLimit
        else { return nil }
        removeFirst()
        return first.timer
    }

    mutating func removeAll() {
        entries.removeAll()
        staleCount = 0
    }

    private mutating func removeFirst() {
        guard let last = entries.popLast(), !entries.isEmpty else { return }
        entries[0] = last
        siftDown(0)
    }

    private mutating func siftUp(_ start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard Entry.precedes(entries[index], entries[parent]) else { return }
            entries.swapAt(index, parent)
            index = parent
        }
    }

    private mutating func siftDown(_ start: Int) {
        var index = start
        while true {
            var smallest = index
            for child in [2 * index + 1, 2 * index + 2] where child < entries.count {
                if Entry.precedes(entries[child], entries[smallest]) { smallest = child }
            }
            guard smallest != index else { return }
            entries.swapAt(index, smallest)
            index = smallest
        }
    }
}

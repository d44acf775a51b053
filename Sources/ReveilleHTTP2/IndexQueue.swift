/// A queue of small numbers with a fixed capacity that never allocates after it was made.
struct IndexQueue: ~Copyable {
    private struct Ends {
        var first = 0
        var count = 0
    }

    private let storage: UnsafeMutablePointer<Int32>
    private let ends: UnsafeMutablePointer<Ends>
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = max(capacity, 1)
        storage = .allocate(capacity: self.capacity)
        ends = .allocate(capacity: 1)
        ends.initialize(to: Ends())
    }

    deinit {
        storage.deallocate()
        ends.deallocate()
    }

    /// How many numbers are in the queue.
    var count: Int { ends.pointee.count }

    /// Adds a number at the end.
    func append(_ index: Int) {
        let (first, count) = (ends.pointee.first, ends.pointee.count)
        precondition(count < capacity, "an index queue ran over")
        storage[wrapped(first + count)] = Int32(truncatingIfNeeded: index)
        ends.pointee.count = count + 1
    }

    /// Takes the oldest number.
    func popFirst() -> Int? {
        let first = ends.pointee.first
        guard ends.pointee.count > 0 else { return nil }
        ends.pointee.first = wrapped(first + 1)
        ends.pointee.count -= 1
        return Int(storage[first])
    }

    /// Takes the newest number.
    func popLast() -> Int? {
        guard ends.pointee.count > 0 else { return nil }
        ends.pointee.count -= 1
        return Int(storage[wrapped(ends.pointee.first + ends.pointee.count)])
    }

    private func wrapped(_ position: Int) -> Int {
        position >= capacity ? position - capacity : position
    }
}

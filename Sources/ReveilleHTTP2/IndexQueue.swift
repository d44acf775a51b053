/// A queue of small numbers with a fixed capacity that never allocates after it was made.
final class IndexQueue {
    private let storage: UnsafeMutablePointer<Int32>
    private let capacity: Int
    private var first = 0
    /// How many numbers are in the queue.
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = max(capacity, 1)
        storage = .allocate(capacity: self.capacity)
    }

    deinit { storage.deallocate() }

    /// Adds a number at the end.
    func append(_ index: Int) {
        precondition(count < capacity, "an index queue ran over")
        var position = first + count
        if position >= capacity { position -= capacity }
        storage[position] = Int32(index)
        count += 1
    }

    /// Takes the oldest number.
    func popFirst() -> Int? {
        guard count > 0 else { return nil }
        let index = storage[first]
        first = first + 1 == capacity ? 0 : first + 1
        count -= 1
        return Int(index)
    }

    /// Takes the newest number.
    func popLast() -> Int? {
        guard count > 0 else { return nil }
        count -= 1
        var position = first + count
        if position >= capacity { position -= capacity }
        return Int(storage[position])
    }
}

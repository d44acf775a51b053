/// A first-in, first-out queue of raw bytes in one contiguous buffer.
///
/// The queue grows to its high-water mark and then allocates no more: space in front of the readable bytes is used again by
/// moving them down, which happens only when the free tail is too small. It belongs to one event loop (it is not Sendable),
/// and its owner bounds it: compare ``count`` with a named limit before appending.
package final class ByteQueue {
    private var base: UnsafeMutableRawPointer
    private var capacity: Int
    private var head = 0
    private var tail = 0

    /// An empty queue with room for `capacity` bytes before it first grows.
    package init(capacity: Int = 0) {
        self.capacity = max(capacity, 0)
        base = .allocate(byteCount: self.capacity, alignment: 16)
    }

    deinit { base.deallocate() }

    /// The number of readable bytes.
    package var count: Int { tail - head }

    /// Whether nothing is readable.
    package var isEmpty: Bool { head == tail }

    /// The size of the buffer, for tests and gauges.
    package var allocatedBytes: Int { capacity }

    /// Adds a copy of `bytes` at the end.
    package func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
        reserve(bytes.count)
        (base + tail).copyMemory(from: source, byteCount: bytes.count)
        tail += bytes.count
    }

    /// Adds a copy of `bytes` at the end.
    package func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    /// Adds one byte at the end.
    package func append(_ byte: UInt8) {
        reserve(1)
        base.storeBytes(of: byte, toByteOffset: tail, as: UInt8.self)
        tail += 1
    }

    /// Adds the UTF-8 bytes of `text` at the end.
    package func append(utf8 text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    /// Lends everything that is readable, oldest byte first, for the time of `body`.
    ///
    /// The queue must not be changed meanwhile.
    package func withReadableBytes<R, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        try body(UnsafeRawBufferPointer(start: base + head, count: tail - head))
    }

    /// Forgets the first `byteCount` readable bytes.
    ///
    /// - Precondition: so many bytes are readable.
    package func consume(_ byteCount: Int) {
        precondition(byteCount >= 0 && byteCount <= count, "more consumed than is readable")
        head += byteCount
        if head == tail {
            head = 0
            tail = 0
        }
    }

    /// Room of at least `minimum` bytes behind the readable ones, for a producer that writes in place and then calls ``didWrite(_:)``.
    ///
    /// The region is valid until the next call on the queue.
    package func writableRegion(minimum: Int) -> UnsafeMutableRawBufferPointer {
        reserve(max(minimum, 1))
        return UnsafeMutableRawBufferPointer(start: base + tail, count: capacity - tail)
    }

    /// Makes the first `byteCount` bytes of the last writable region readable.
    ///
    /// - Precondition: the region was at least so long.
    package func didWrite(_ byteCount: Int) {
        precondition(byteCount >= 0 && byteCount <= capacity - tail, "more written than there was room")
        tail += byteCount
    }

    /// Forgets all bytes and keeps the buffer.
    package func removeAll() {
        head = 0
        tail = 0
    }

    /// Gives an empty queue's buffer back when it is larger than `limit` bytes, so that a burst does not pin memory.
    package func releaseBuffer(largerThan limit: Int) {
        guard isEmpty, capacity > limit else { return }
        base.deallocate()
        capacity = 0
        base = .allocate(byteCount: 0, alignment: 16)
        removeAll()
    }

    private func reserve(_ byteCount: Int) {
        if capacity - tail < byteCount { makeRoom(byteCount) }
    }

    /// The smallest buffer that is ever allocated for bytes.
    private static let minimumCapacity = 256

    @inline(never)
    private func makeRoom(_ byteCount: Int) {
        let readable = count
        if capacity - readable >= byteCount, readable <= capacity / 2 {
            base.copyMemory(from: base + head, byteCount: readable)
        } else {
            let needed = readable + byteCount
            let newCapacity = max(needed, capacity * 2, Self.minimumCapacity)
            let grown = UnsafeMutableRawPointer.allocate(byteCount: newCapacity, alignment: 16)
            grown.copyMemory(from: base + head, byteCount: readable)
            base.deallocate()
            base = grown
            capacity = newCapacity
        }
        head = 0
        tail = readable
    }
}

extension Sequence<UInt8> {
    /// Lends the elements as contiguous memory, copied only when they do not lie so already.
    ///
    /// The encodings' loops are written once, over memory: a generic loop in another module goes through a witness table for each
    /// byte.
    @inlinable
    func withContiguousBytes<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        if let result = withContiguousStorageIfAvailable(body) { return result }
        return Array(self).withUnsafeBufferPointer(body)
    }
}

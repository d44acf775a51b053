extension UnsafeRawBufferPointer {
    /// The start as OpenSSL wants it: never nil, also when there are no bytes.
    var opensslBytes: UnsafePointer<UInt8> {
        (baseAddress ?? UnsafeRawPointer(emptyBytes)).assumingMemoryBound(to: UInt8.self)
    }
}

extension UnsafeMutableRawBufferPointer {
    /// The start as OpenSSL wants it; a buffer without memory must not be written to.
    var opensslBytes: UnsafeMutablePointer<UInt8>? {
        baseAddress?.assumingMemoryBound(to: UInt8.self)
    }
}

/// One byte that stands for the start of every empty input.
///
/// Never written to and never freed, so that sharing it is safe.
nonisolated(unsafe) private let emptyBytes: UnsafeMutableRawPointer = {
    let byte = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
    byte.storeBytes(of: 0, as: UInt8.self)
    return byte
}()

/// Base32 in upper case and without padding (RFC 4648 section 6).
package enum Base32 {
    /// The unpadded text of `bytes`, eight characters for five bytes.
    @inlinable
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        bytes.withContiguousBytes { source in
            String(unsafeUninitializedCapacity: (source.count * 8 + 4) / 5) { target in
                guard let start = target.baseAddress else { return 0 }
                return encode(UnsafeRawBufferPointer(source), into: start)
            }
        }
    }
}

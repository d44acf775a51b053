/// Reads JSON strictly by RFC 8259.
///
/// Beyond the grammar it refuses what different readers understand differently: duplicate keys (compared byte by byte), lone
/// surrogates, bytes that are not UTF-8, a byte order mark, whole numbers beyond 64 bits, others beyond the range of a 64-bit
/// floating-point number.
package enum JSONReader {
    /// The value that `bytes` spell.
    package static func parse(
        _ bytes: [UInt8], limits: JSONLimits = .default
    ) throws(JSONError) -> JSONValue {
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(JSONError) in try parse(buffer, limits: limits) }
        }
        return try result.get()
    }

    /// The value that the UTF-8 of `text` spells.
    package static func parse(
        text: String, limits: JSONLimits = .default
    ) throws(JSONError) -> JSONValue {
        try parse(Array(text.utf8), limits: limits)
    }

    /// The value that `bytes` spell.
    ///
    /// The bytes are not kept.
    package static func parse(
        _ bytes: UnsafeRawBufferPointer, limits: JSONLimits = .default
    ) throws(JSONError) -> JSONValue {
        guard bytes.count <= limits.maximumBytes else {
            throw JSONError(.tooLong, offset: limits.maximumBytes)
        }
        guard let start = bytes.baseAddress, !bytes.isEmpty else {
            throw JSONError(.unexpectedEnd, offset: 0)
        }
        var scanner = JSONScanner(start: start, count: bytes.count, limits: limits)
        try scanner.refuseByteOrderMark()
        let value = try scanner.value(depth: 0)
        try scanner.finish()
        return value
    }
}

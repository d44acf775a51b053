/// Percent-encoding of paths and queries (RFC 3986 section 2.1).
package enum PercentEncoding {
    /// Decodes a path segment.
    ///
    /// - Returns: nil when a percent sign lacks its digits, or the octets are no UTF-8.
    package static func decode(_ text: some StringProtocol) -> String? {
        guard text.utf8.contains(0x25) else { return String(text) }
        guard let bytes = octets(text.utf8, plusIsSpace: false) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Decodes a name or value of a query, in which a plus sign is a space.
    ///
    /// Octets that are no UTF-8 become replacement characters, which no identifier contains.
    package static func decodeQuery(_ text: some StringProtocol) -> String {
        guard text.utf8.contains(where: { $0 == 0x25 || $0 == 0x2B }) else { return String(text) }
        guard let bytes = octets(text.utf8, plusIsSpace: true) else { return String(text) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func octets(_ text: some Sequence<UInt8>, plusIsSpace: Bool) -> [UInt8]? {
        var bytes: [UInt8] = []
        var iterator = text.makeIterator()
        while let byte = iterator.next() {
            switch byte {
            case 0x25:
                guard let high = iterator.next().flatMap(hexValue),
                    let low = iterator.next().flatMap(hexValue)
                else { return nil }
                bytes.append(high << 4 | low)
            case 0x2B where plusIsSpace: bytes.append(0x20)
            default: bytes.append(byte)
            }
        }
        return bytes
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}

import ReveilleBytes

/// An APNs device token in its one canonical form: lower-case hexadecimal digits.
///
/// Tokens have no fixed length (Apple, "Registering your app with APNs"). The value cannot be printed
/// or encoded; ``withHexadecimal(_:)`` is the way into a request path.
package struct DeviceToken: Hashable, Sendable {
    /// The longest token accepted, in octets; Live Activity tokens of 80 octets have been seen.
    package static let maximumOctets = 200

    private let digits: [UInt8]

    /// Reads a token in any lossless printed form: hexadecimal in either case, with the angle brackets
    /// and blanks of the old description of `Data`.
    package init(parsing text: String) throws(DeviceTokenError) {
        var digits: [UInt8] = []
        digits.reserveCapacity(text.utf8.count)
        if text.contains("...") || text.contains("…") { throw .truncatedDescription }
        if text.contains(":") || text.contains("_") || text.contains("-") {
            throw .looksLikeOtherProvider
        }
        for octet in text.utf8 {
            switch octet {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"):
                digits.append(octet)
            case UInt8(ascii: "A")...UInt8(ascii: "F"):
                digits.append(octet | 0x20)
            case UInt8(ascii: " "), UInt8(ascii: "<"), UInt8(ascii: ">"), 0x09, 0x0A, 0x0D:
                continue
            default:
                throw .notHexadecimal
            }
            if digits.count > 2 * Self.maximumOctets { throw .tooLong }
        }
        if digits.isEmpty { throw .empty }
        if digits.count % 2 != 0 { throw .oddLength }
        self.digits = digits
    }

    /// Takes octets that were stored by this type.
    package init(octets: [UInt8]) throws(DeviceTokenError) {
        try self.init(parsing: Hex.encode(octets))
    }

    /// The token's octets, for sealing and for the keyed hash.
    package var octets: [UInt8] {
        Hex.decode(String(decoding: digits, as: UTF8.self)) ?? []
    }

    /// Lends the hexadecimal digits.
    package func withHexadecimal<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        digits.withUnsafeBufferPointer(body)
    }
}

extension DeviceToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "‹device token›" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why a text is not an APNs device token.
package enum DeviceTokenError: String, Error, CaseIterable, Sendable {
    case empty
    case oddLength = "odd_length"
    case tooLong = "too_long"
    case notHexadecimal = "not_hexadecimal"
    /// The description of `Data` in newer systems leaves out the middle of the token.
    case truncatedDescription = "truncated_description"
    /// The text has the characters of an FCM registration token.
    case looksLikeOtherProvider = "looks_like_other_provider"
}

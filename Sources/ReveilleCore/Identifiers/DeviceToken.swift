import ReveilleBytes

/// An APNs device token in its one canonical form: lower-case hexadecimal digits.
///
/// Tokens have no fixed length (Apple, "Registering your app with APNs"). The value cannot be printed
/// or encoded; ``withHexadecimal(_:)`` is the way into a request path.
package struct DeviceToken: Hashable, Sendable {
    /// The longest token accepted, in octets; Live Activity tokens of 80 octets have been seen.
    package static let maximumOctets = 200

    private let digits: [UInt8]

    /// Reads a token in any lossless printed form.
    ///
    /// These are hexadecimal in either case, with blanks between groups and one pair of angle brackets around, as the old
    /// description of `Data` had them; white space at the ends is ignored.
    package init(parsing text: String) throws(DeviceTokenError) {
        var body = Substring(text).utf8.trimmingBlanks { Self.isWhiteSpace($0) }
        if text.contains("...") || text.contains("…") { throw .truncatedDescription }
        if body.first == UInt8(ascii: "<"), body.last == UInt8(ascii: ">"), body.count > 1 {
            body = body.dropFirst().dropLast()
        }
        var digits: [UInt8] = []
        digits.reserveCapacity(min(body.count, 2 * Self.maximumOctets))
        var error: DeviceTokenError?
        for octet in body {
            if let value = Hex.value(of: octet) {
                digits.append(Hex.digit(value))
                if digits.count > 2 * Self.maximumOctets { throw .tooLong }
            } else if Self.belongsToOtherProvider(octet) {
                throw .looksLikeOtherProvider
            } else if octet != UInt8(ascii: " ") {
                error = .notHexadecimal
            }
        }
        if let error { throw error }
        if digits.isEmpty { throw .empty }
        if digits.count % 2 != 0 { throw .oddLength }
        self.digits = digits
    }

    /// Takes octets that were stored by this type.
    package init(octets: [UInt8]) throws(DeviceTokenError) {
        if octets.isEmpty { throw .empty }
        if octets.count > Self.maximumOctets { throw .tooLong }
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * octets.count)
        for octet in octets {
            digits.append(Hex.digit(octet >> 4))
            digits.append(Hex.digit(octet & 0xF))
        }
        self.digits = digits
    }

    /// The token's octets, for sealing and for the keyed hash.
    package var octets: [UInt8] {
        Hex.decode(utf8: digits) ?? []
    }

    /// Lends the hexadecimal digits.
    package func withHexadecimal<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        digits.withUnsafeBufferPointer(body)
    }

    private static func isWhiteSpace(_ octet: UInt8) -> Bool {
        octet == UInt8(ascii: " ") || octet == 0x09 || octet == 0x0A || octet == 0x0D
    }

    /// FCM registration tokens hold one of these, and hexadecimal text never does.
    private static func belongsToOtherProvider(_ octet: UInt8) -> Bool {
        octet == UInt8(ascii: ":") || octet == UInt8(ascii: "_") || octet == UInt8(ascii: "-")
    }
}

extension DeviceToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "‹device token›" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Substring.UTF8View {
    fileprivate func trimmingBlanks(_ isBlank: (UInt8) -> Bool) -> Substring.UTF8View {
        guard let first = firstIndex(where: { !isBlank($0) }),
            let last = lastIndex(where: { !isBlank($0) })
        else { return self[endIndex...] }
        return self[first...last]
    }
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

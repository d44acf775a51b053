/// What an FCM message is addressed to: the registration token of one app instance, or its Firebase installation id.
///
/// Both are opaque text (Firebase, "Best practices for FCM registration token management"). Cannot be printed.
package struct FCMTarget: Hashable, Sendable {
    /// The longest that is accepted, in octets; tokens seen in the field have less than 350.
    package static let maximumOctets = 2_048

    /// Which of the two.
    package enum Kind: UInt8, CaseIterable, Sendable {
        case token = 1
        case installation = 2
    }

    package let kind: Kind
    private let text: [UInt8]

    /// Takes a token or installation id as an app sent it.
    package init(_ kind: Kind, parsing text: String) throws(FCMTargetError) {
        let octets = Array(text.utf8)
        if octets.isEmpty { throw .empty }
        if octets.count > Self.maximumOctets { throw .tooLong }
        guard octets.allSatisfy(Self.isTargetOctet) else { throw .wrongCharacter }
        if octets.count >= 64, octets.allSatisfy(Self.isHexadecimal) { throw .looksLikeOtherProvider }
        self.kind = kind
        self.text = octets
    }

    /// The octets that the store seals: the kind, then the text.
    package var octets: [UInt8] { [kind.rawValue] + text }

    /// Takes octets back that the store sealed.
    package init?(octets: [UInt8]) {
        guard let first = octets.first, let kind = Kind(rawValue: first), octets.count > 1 else { return nil }
        self.kind = kind
        text = Array(octets.dropFirst())
    }

    /// Visible ASCII that stands for itself in JSON: nothing else was ever a token.
    package static func isTargetOctet(_ octet: UInt8) -> Bool {
        (0x21...0x7E).contains(octet) && octet != UInt8(ascii: "\"") && octet != UInt8(ascii: "\\")
    }

    private static func isHexadecimal(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}

extension FCMTarget: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "‹registration token›" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why a text is no registration token of FCM.
package enum FCMTargetError: String, Error, CaseIterable, Sendable {
    case empty
    case tooLong = "too_long"
    case wrongCharacter = "wrong_character"
    /// 64 hexadecimal digits or more and nothing else: a device token of APNs.
    case looksLikeOtherProvider = "looks_like_other_provider"
}

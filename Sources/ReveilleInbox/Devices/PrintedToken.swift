import ReveilleBytes
import ReveilleCore

/// Reads an APNs token in the forms that apps send: any lossless print of it, or base64.
enum PrintedToken {
    /// The shortest base64 text taken for a token; shorter ones are more likely a mistake.
    private static let minimumBase64Characters = 44

    /// The token, or an error that says what the text looks like instead.
    static func read(_ printed: SecretText) throws(InboxError) -> DeviceToken {
        let text = printed.reveal()
        do throws(DeviceTokenError) {
            return try DeviceToken(parsing: text)
        } catch {
            if error == .notHexadecimal, let token = base64(text) { return token }
            throw .invalid("apns_token", explanation(error))
        }
    }

    /// Base64 is believed only with its padding: no token of another service ends like that.
    private static func base64(_ text: String) -> DeviceToken? {
        guard text.utf8.count >= minimumBase64Characters, text.utf8.last == UInt8(ascii: "="),
            let octets = Base64.decode(text)
        else { return nil }
        // A text that is base64 of something too long is refused with the error of its first reading.
        return try? DeviceToken(octets: octets)
    }

    private static func explanation(_ error: DeviceTokenError) -> StaticString {
        switch error {
        case .empty: "must not be empty"
        case .oddLength: "has an odd number of hexadecimal digits"
        case .tooLong: "is longer than any device token of APNs"
        case .notHexadecimal: "must be the token's octets in hexadecimal or base64"
        case .truncatedDescription:
            "is a description with its middle left out; send all octets in hexadecimal"
        case .looksLikeOtherProvider:
            "does not look like a device token of APNs but like one of another service"
        }
    }
}

/// Reads an installation key in the forms that apps send.
enum PrintedKey {
    /// The 32 octets in base64url, base64 or hexadecimal.
    static func read(_ printed: SecretText) throws(InboxError) -> [UInt8] {
        let text = printed.reveal()
        let octets =
            text.utf8.count == 2 * DeviceLimits.installationKeyOctets
            ? Hex.decode(text) : Base64URL.decodeLeniently(text)
        guard let octets, octets.count == DeviceLimits.installationKeyOctets else {
            throw .invalid("installation_key", "must be 32 octets in base64url or hexadecimal")
        }
        return octets
    }
}

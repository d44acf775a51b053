internal import ReveilleJSON

/// Values of the control interface and of scripts that mean something only in a certain form: in another one they could match
/// nothing, and whoever wrote them would wait for what never happens.
extension JSONFields {
    /// A device token, in lower case.
    mutating func optionalToken(_ key: String) throws(JSONFieldError) -> String? {
        guard let text = try optionalString(key, maximumBytes: AppleRules.maximumTokenDigits) else { return nil }
        guard let token = AppleRules.normalizedToken(text) else {
            throw error(.invalidValue, key, "must be a token: an even number of hexadecimal digits")
        }
        return token
    }

    /// How a device token begins, in lower case.
    mutating func optionalTokenPrefix(_ key: String) throws(JSONFieldError) -> String? {
        guard let text = try optionalString(key, maximumBytes: AppleRules.maximumTokenDigits) else { return nil }
        guard !text.isEmpty, text.utf8.allSatisfy(AppleRules.isHexadecimal) else {
            throw error(.invalidValue, key, "must be hexadecimal digits")
        }
        return text.lowercased()
    }

    /// A text that can stand in a field of a request or of an answer (RFC 9110, section 5.5).
    mutating func optionalFieldValue(_ key: String, maximumBytes: Int) throws(JSONFieldError) -> String? {
        guard let text = try optionalString(key, maximumBytes: maximumBytes) else { return nil }
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }), text.utf8.first != 0x20, text.utf8.last != 0x20 else {
            throw error(.invalidValue, key, "cannot stand in a header field")
        }
        return text
    }
}

internal import ReveilleJSON

/// Device tokens in the control interface and in scripts.
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
}

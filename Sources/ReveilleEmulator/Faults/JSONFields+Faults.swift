internal import ReveilleHTTP2
internal import ReveilleJSON

/// Values of the control interface and of scripts that mean something only in a certain form: in another one they could match
/// nothing, and whoever wrote them would wait for what never happens.
extension JSONFields {
    /// A text that can stand in a field of a request or of an answer (RFC 9110, section 5.5).
    mutating func optionalFieldValue(_ key: String, maximumBytes: Int) throws(JSONFieldError) -> String? {
        guard let text = try optionalString(key, maximumBytes: maximumBytes) else { return nil }
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }), text.utf8.first != 0x20, text.utf8.last != 0x20 else {
            throw error(.invalidValue, key, "cannot stand in a header field")
        }
        return text
    }

    /// `Retry-After`: seconds, or a text such as a date.
    mutating func optionalRetryAfter(_ key: String) throws(JSONFieldError) -> String? {
        switch presence(of: key) {
        case .absent, .null: return nil
        case .given(.integer(let seconds)):
            guard seconds >= 0 else { throw error(.outOfRange, key, "must not be negative") }
            return String(seconds)
        case .given(.string): return try optionalFieldValue(key, maximumBytes: FaultLimits.maximumNameBytes)
        case .given: throw error(.wrongType, key, "must be seconds or a date")
        }
    }

    /// A code of RFC 9113, section 7, by its name or number.
    mutating func optionalErrorCode(_ key: String) throws(JSONFieldError) -> HTTP2ErrorCode? {
        switch presence(of: key) {
        case .absent, .null: return nil
        case .given(.integer(let number)):
            guard let number = UInt32(exactly: number) else {
                throw error(.outOfRange, key, "must fit 32 bits")
            }
            return HTTP2ErrorCode(rawValue: number)
        case .given(.string(let name)):
            let codes = (UInt32(0)...0xd).map(HTTP2ErrorCode.init(rawValue:))
            guard let code = codes.first(where: { $0.name == name }) else {
                throw error(
                    .invalidValue, key, "must be a code of RFC 9113 section 7 by its name, such as `CANCEL`, or number")
            }
            return code
        case .given: throw error(.wrongType, key, "must be the name or number of a code")
        }
    }
}

extension HTTP2ErrorCode {
    /// The name, or the number of a code without one.
    var json: JSONValue {
        name == "UNKNOWN" ? .integer(Int64(rawValue)) : .string(name)
    }
}

/// What makes a request one that no client may send: its octets would be read as something else on the way.
package enum ClientRequestFault: Error, Hashable, Sendable {
    /// The method is no token (RFC 9110 section 9.1).
    case method
    /// The target is no path with an optional query, in ASCII and percent-encoded.
    case target
    /// A field's name is no token (RFC 9110 section 5.1).
    case fieldName
    /// The value of the named field is other than printable ASCII, blanks and tabs inside it; a line end in it would start a
    /// field of its own.
    case fieldValue(name: String)
}

extension ClientRequest {
    /// What is wrong with the request; nil when it can be sent.
    package var fault: ClientRequestFault? {
        guard Self.isToken(method) else { return .method }
        guard path.utf8.first == UInt8(ascii: "/"), path.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return .target
        }
        for field in fields {
            guard Self.isToken(field.name) else { return .fieldName }
            guard Self.isFieldValue(field.value) else { return .fieldValue(name: field.name) }
        }
        return nil
    }

    /// Whether a text can be the value of a field as it is: printable ASCII with blanks and tabs inside it only, for what
    /// stands around a value is not part of it (RFC 9110 section 5.5).
    package static func isFieldValue(_ text: String) -> Bool {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0x09 }) else { return false }
        return !(text.utf8.first.map(isBlank) ?? false) && !(text.utf8.last.map(isBlank) ?? false)
    }

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { octet in
                switch octet {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(octet)
                }
            }
    }
}

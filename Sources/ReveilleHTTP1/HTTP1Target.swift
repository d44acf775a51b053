/// Checks of what names a resource, for requests that came by another version too.
package enum HTTP1Target {
    /// Whether text is a path with an optional query, of the characters of RFC 3986 only, each percent sign with its digits.
    package static func isOriginForm(_ text: String) -> Bool {
        withBytes(of: text) { bytes in
            guard bytes.first == ASCII.slash else { return false }
            return isLegal(bytes)
        }
    }

    /// Whether text is a host with an optional port, as Host and `:authority` allow.
    package static func isAuthority(_ text: String) -> Bool {
        withBytes(of: text) { bytes in
            do throws(HTTP1Error) {
                try HostField.check(bytes, needsPort: false)
                return true
            } catch {
                return false
            }
        }
    }

    /// Whether a path and query hold legal characters only.
    static func isLegal(_ path: UnsafeRawBufferPointer) -> Bool {
        let allowed = ByteClass.target
        let hexDigit = ByteClass.hexDigit
        var index = 0
        while index < path.count {
            let byte = path[index]
            guard allowed.contains(byte) else { return false }
            if byte == ASCII.percent {
                guard index + 2 < path.count, hexDigit.contains(path[index + 1]),
                    hexDigit.contains(path[index + 2])
                else { return false }
                index += 2
            }
            index += 1
        }
        return true
    }

    private static func withBytes(
        of text: String, _ body: (UnsafeRawBufferPointer) -> Bool
    ) -> Bool {
        var text = text
        return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}

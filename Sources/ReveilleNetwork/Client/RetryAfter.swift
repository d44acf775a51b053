internal import ReveilleHTTP1
package import ReveilleRuntime

/// The field `Retry-After`: how long a server asks its client to stay away (RFC 9110 section 10.2.3).
package enum RetryAfter {
    /// The longest wait that is believed; a server that names a longer one is asked again after this.
    package static let maximumSeconds: Int64 = 86_400

    /// The seconds to wait, from 0 to ``maximumSeconds``; nil when the text is neither a number nor a date.
    ///
    /// - Parameters:
    ///   - text: The field's value; blanks around it do not count.
    ///   - now: The present, from which a date is counted. A date in the past is 0.
    package static func seconds(_ text: UnsafeRawBufferPointer, now: WallInstant) -> Int64? {
        let blank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        let trimmed = Array(text.drop(while: blank).reversed().drop(while: blank).reversed())
        guard !trimmed.isEmpty else { return nil }
        if trimmed.allSatisfy({ 0x30...0x39 ~= $0 }) {
            return trimmed.reduce(0) { min($0 * 10 + Int64($1 - 0x30), maximumSeconds) }
        }
        guard let date = HTTPDate.parse(trimmed, nowSecondsSince1970: now.seconds) else { return nil }
        return min(max(date - now.seconds, 0), maximumSeconds)
    }

    /// The seconds to wait; see ``seconds(_:now:)-(UnsafeRawBufferPointer,_)``.
    package static func seconds(_ text: String, now: WallInstant) -> Int64? {
        var text = text
        return text.withUTF8 { seconds(UnsafeRawBufferPointer($0), now: now) }
    }
}

internal import ReveilleJSON

/// What is read of the body of a refusal, or of the debug data of a GOAWAY: both have the same form.
package struct APNsAnswerBody: Sendable, Equatable {
    /// The reason, from the closed list; nil when the body could not be read or names none.
    package let reason: APNsReason?
    /// Milliseconds since 1970 since which APNs knows that the token is not valid (410 only).
    package let timestamp: Int64?

    /// APNs answers in far less.
    private static let limits = JSONLimits(maximumBytes: 4_096, maximumDepth: 8, maximumElements: 64)

    /// Reads a body; never fails, because the status counts without it.
    package init(_ bytes: UnsafeRawBufferPointer) {
        guard let value = try? JSONReader.parse(bytes, limits: Self.limits), case .object(let object) = value else {
            reason = nil
            timestamp = nil
            return
        }
        if case .string(let word)? = object["reason"] {
            reason = Self.words[word] ?? .unknown
        } else {
            reason = nil
        }
        if case .integer(let milliseconds)? = object["timestamp"], milliseconds > 0 {
            timestamp = milliseconds
        } else {
            timestamp = nil
        }
    }

    /// Only words that APNs says; ours cannot be sent to us.
    private static let words = Dictionary(
        uniqueKeysWithValues: APNsOutcomes.rows.map { ($0.reason.rawValue, $0.reason) })
}

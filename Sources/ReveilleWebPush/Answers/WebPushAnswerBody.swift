internal import ReveilleJSON

/// What is read of the first octets of an answer's body.
package struct WebPushAnswerBody: Sendable, Equatable {
    /// Apple's word or Mozilla's errno, if the body is JSON and has a known one.
    package let reason: WebPushReason?
    /// Whether a page for people came, which no push service answers with: a proxy, a portal or a web server stands there.
    package let isWebPage: Bool

    /// Push services answer in far less.
    private static let limits = JSONLimits(maximumBytes: 4_096, maximumDepth: 8, maximumElements: 64)

    /// Reads a body; never fails, because the status counts without it.
    package init(_ bytes: UnsafeRawBufferPointer) {
        let content = bytes.drop { $0 == 0x20 || (0x09...0x0D).contains($0) || Self.byteOrderMark.contains($0) }
        isWebPage = content.first == UInt8(ascii: "<")
        guard content.first == UInt8(ascii: "{"), let value = try? JSONReader.parse(bytes, limits: Self.limits),
            case .object(let object) = value
        else {
            reason = nil
            return
        }
        if case .string(let word)? = object["reason"] {
            reason = Self.words[word]
        } else if case .integer(let number)? = object["errno"] {
            reason = Self.numbers[number]
        } else {
            reason = nil
        }
    }

    private static let byteOrderMark: Set<UInt8> = [0xEF, 0xBB, 0xBF]

    /// Only words that services say; ours cannot be sent to us.
    private static let words = Dictionary(
        uniqueKeysWithValues: WebPushOutcomes.appleRows.keys.map { ($0.rawValue, $0) })

    private static let numbers = Dictionary(
        uniqueKeysWithValues: WebPushOutcomes.mozillaRows.keys.compactMap { reason in
            Int64(reason.rawValue.dropFirst("Errno".count)).map { ($0, reason) }
        })
}

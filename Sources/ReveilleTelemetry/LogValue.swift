internal import ReveilleRuntime

/// A value that may stand in a log line.
///
/// The type decides, not the care of the caller: there is no way to make one from a text that came with a request. Texts are
/// written in the source (``literal(_:)``), words of a closed enumeration (``code(_:)``), or what the operator chose
/// (``configured(_:)``).
package struct LogValue: Sendable, Equatable {
    /// What a sink writes.
    package enum Content: Sendable, Equatable {
        case integer(Int64)
        case number(Double)
        case boolean(Bool)
        case text(String)
    }

    /// What a sink writes.
    package let content: Content
    /// Whether it is one of few, so that lines may be told apart by it: no number, and no name of one thing among many.
    let isWord: Bool

    private init(_ content: Content, isWord: Bool = false) {
        self.content = content
        self.isWord = isWord
    }

    package static func == (left: LogValue, right: LogValue) -> Bool { left.content == right.content }

    /// A whole number: a count, a size, a status, a row's id.
    package static func integer(_ number: some BinaryInteger) -> LogValue {
        LogValue(.integer(Int64(clamping: number)))
    }

    /// A word of a closed enumeration of ours: an outcome, an error code, a state.
    package static func code<Code: CaseIterable & RawRepresentable<String>>(_ code: Code) -> LogValue {
        LogValue(.text(code.rawValue), isWord: true)
    }

    /// A text that is written in the source.
    package static func literal(_ text: StaticString) -> LogValue {
        LogValue(.text(text.description), isWord: true)
    }

    /// A duration, in seconds.
    package static func duration(_ duration: Duration) -> LogValue {
        LogValue(.number((duration.inSeconds * 1e6).rounded() / 1e6))
    }

    /// A keyed hash of something that must be recognised but not known, as 16 hexadecimal digits.
    package static func fingerprint(_ hash: UInt64) -> LogValue {
        let digits = String(hash, radix: 16)
        return LogValue(.text(String(repeating: "0", count: 16 - digits.count) + digits))
    }

    /// What the operator chose and may read: a host name, port, file path, topic, setting; never anything from a request.
    package static func configured(_ text: String) -> LogValue {
        LogValue(.text(text), isWord: true)
    }

    /// True or false.
    package static func boolean(_ truth: Bool) -> LogValue {
        LogValue(.boolean(truth))
    }
}

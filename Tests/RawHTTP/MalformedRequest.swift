/// A request that a strict server must refuse: how it is answered before the connection closes.
package struct MalformedRequest: Sendable, CustomStringConvertible {
    /// What is wrong with it, in words.
    package let name: String
    /// The bytes on the wire.
    package let bytes: [UInt8]
    /// The status of the answer.
    package let status: Int
    /// The stable word of the error.
    package let code: String
    /// Complete requests in front of the bad one, each of which is served first.
    package let served: Int

    package var description: String { name }

    /// Describes a request.
    ///
    /// Each character of the text is one byte (ISO-8859-1).
    init(_ name: String, _ text: String, _ status: Int, _ code: String, served: Int = 0) {
        self.name = name
        bytes = Self.bytes(text)
        self.status = status
        self.code = code
        self.served = served
    }

    /// One byte for each character.
    package static func bytes(_ text: String) -> [UInt8] {
        text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }

    /// A GET with one line of its own in the place of the start line.
    static func line(_ line: String) -> String { line + "\r\nHost: a\r\n\r\n" }

    /// A GET with field lines after Host; each with its line end.
    static func get(_ fields: String) -> String {
        "GET / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n"
    }

    /// A GET with its own Host lines.
    static func host(_ lines: String) -> String { "GET / HTTP/1.1\r\n" + lines + "\r\n" }

    /// A POST with field lines and a body.
    static func post(_ fields: String, _ body: String = "") -> String {
        "POST / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n" + body
    }

    /// A chunked POST.
    static func chunks(_ body: String) -> String {
        post("Transfer-Encoding: chunked\r\n", body)
    }

    /// Every row.
    package static let all =
        startLines + targets + versions + fieldLines + hosts + contentLengths + transferEncodings
        + chunkedBodies + trailers + sequences
}

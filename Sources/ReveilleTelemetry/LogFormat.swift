package import ReveilleRuntime

/// How a line looks.
package enum LogFormat: String, Sendable, CaseIterable {
    /// `key=value` pairs, for people and for most collectors.
    case logfmt
    /// One JSON object a line.
    case json

    /// The line with its end, in UTF-8.
    package func render(_ line: LogLine, at instant: WallInstant) -> [UInt8] {
        var text = LogText(format: self)
        text.add("time", .text(CivilTime(instant).text))
        text.add("level", .text(line.level.rawValue))
        text.add("component", .text(line.component.description))
        text.add("message", .text(line.message.description))
        for field in line.fields { text.add(field.key.description, field.value.content) }
        return text.finished()
    }
}

/// A line while it is being put together.
private struct LogText {
    private let format: LogFormat
    private var bytes: [UInt8] = []

    init(format: LogFormat) {
        self.format = format
        bytes.reserveCapacity(256)
    }

    mutating func add(_ key: String, _ value: LogValue.Content) {
        switch format {
        case .logfmt:
            if !bytes.isEmpty { bytes.append(UInt8(ascii: " ")) }
            bytes.append(contentsOf: key.utf8)
            bytes.append(UInt8(ascii: "="))
        case .json:
            bytes.append(UInt8(ascii: bytes.isEmpty ? "{" : ","))
            quote(key)
            bytes.append(UInt8(ascii: ":"))
        }
        switch value {
        case .integer(let number): bytes.append(contentsOf: String(number).utf8)
        case .number(let number) where number.isFinite:
            bytes.append(contentsOf: number.description.utf8)
        case .number: bytes.append(contentsOf: "null".utf8)
        case .boolean(let truth): bytes.append(contentsOf: (truth ? "true" : "false").utf8)
        case .text(let text): add(text: text)
        }
    }

    func finished() -> [UInt8] {
        switch format {
        case .logfmt: bytes + [0x0A]
        case .json: bytes + [UInt8(ascii: "}"), 0x0A]
        }
    }

    private mutating func add(text: String) {
        switch format {
        case .json: quote(text)
        case .logfmt:
            let isBare =
                !text.isEmpty
                && text.utf8.allSatisfy {
                    $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "=")
                        && $0 != UInt8(ascii: "\\") && $0 != 0x7F
                }
            if isBare { bytes.append(contentsOf: text.utf8) } else { quote(text) }
        }
    }

    /// Quotes as JSON does, so that no text can end its line or its value.
    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\":
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                let zeros = String(repeating: "0", count: 4 - digits.count)
                bytes.append(contentsOf: "\\u\(zeros)\(digits)".utf8)
            default:
                bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}

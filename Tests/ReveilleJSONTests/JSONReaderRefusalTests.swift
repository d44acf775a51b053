import ReveilleJSON
import Testing

/// A text that must be refused, where, and why.
struct Malformed: Sendable, CustomTestStringConvertible {
    let bytes: [UInt8]
    let code: JSONError.Code
    let offset: Int

    init(_ text: String, _ code: JSONError.Code, _ offset: Int) {
        self.init(bytes: Array(text.utf8), code, offset)
    }

    init(bytes: [UInt8], _ code: JSONError.Code, _ offset: Int) {
        self.bytes = bytes
        self.code = code
        self.offset = offset
    }

    var testDescription: String { String(decoding: bytes.prefix(40), as: UTF8.self) }

    static let structure: [Malformed] = [
        Malformed("", .unexpectedEnd, 0), Malformed(" ", .unexpectedEnd, 1), Malformed("\n\t", .unexpectedEnd, 2),
        Malformed("[", .unexpectedEnd, 1), Malformed("[1", .unexpectedEnd, 2), Malformed("[1,", .unexpectedEnd, 3),
        Malformed("{", .unexpectedEnd, 1), Malformed("{\"a\"", .unexpectedEnd, 4),
        Malformed("{\"a\":", .unexpectedEnd, 5), Malformed("{\"a\":1", .unexpectedEnd, 6),
        Malformed("{\"a\":1,", .unexpectedEnd, 7),
        Malformed("]", .unexpectedByte, 0), Malformed("}", .unexpectedByte, 0), Malformed(",", .unexpectedByte, 0),
        Malformed(":", .unexpectedByte, 0), Malformed("[,]", .unexpectedByte, 1), Malformed("[1,]", .unexpectedByte, 3),
        Malformed("[,1]", .unexpectedByte, 1), Malformed("[1,,2]", .unexpectedByte, 3),
        Malformed("[1 2]", .unexpectedByte, 3), Malformed("[1}", .unexpectedByte, 2),
        Malformed("{]", .unexpectedByte, 1), Malformed("{\"a\":1]", .unexpectedByte, 6),
        Malformed("{,}", .unexpectedByte, 1), Malformed("{\"a\":1,}", .unexpectedByte, 7),
        Malformed("{\"a\" 1}", .unexpectedByte, 5), Malformed("{\"a\",1}", .unexpectedByte, 4),
        Malformed("{\"a\":}", .unexpectedByte, 5), Malformed("{\"a\"::1}", .unexpectedByte, 5),
        Malformed("{a:1}", .unexpectedByte, 1), Malformed("{'a':1}", .unexpectedByte, 1),
        Malformed("{1:1}", .unexpectedByte, 1), Malformed("{null:1}", .unexpectedByte, 1),
        Malformed("{\"a\":1 \"b\":2}", .unexpectedByte, 7), Malformed("'a'", .unexpectedByte, 0),
        Malformed("1 2", .trailingBytes, 2), Malformed("{} {}", .trailingBytes, 3), Malformed("[]]", .trailingBytes, 2),
        Malformed("null,", .trailingBytes, 4), Malformed("nullx", .trailingBytes, 4),
        Malformed("1\u{0}", .trailingBytes, 1), Malformed("{}//", .trailingBytes, 2),
        Malformed("// c\n1", .unexpectedByte, 0), Malformed("/* c */ 1", .unexpectedByte, 0),
        Malformed("#1", .unexpectedByte, 0), Malformed("\u{0}", .unexpectedByte, 0),
        Malformed("\u{B}1", .unexpectedByte, 0), Malformed("\u{C}1", .unexpectedByte, 0),
        Malformed("\u{A0}1", .unexpectedByte, 0), Malformed("\u{2028}1", .unexpectedByte, 0),
        Malformed("\u{FEFF}1", .byteOrderMark, 0), Malformed("\u{FEFF}", .byteOrderMark, 0),
        Malformed("[\u{FEFF}1]", .unexpectedByte, 1),
    ]

    static let words: [Malformed] = [
        Malformed("nul", .unexpectedEnd, 3), Malformed("n", .unexpectedEnd, 1), Malformed("tru", .unexpectedEnd, 3),
        Malformed("True", .unexpectedByte, 0), Malformed("TRUE", .unexpectedByte, 0),
        Malformed("nULL", .unexpectedByte, 1),
        Malformed("fals ", .unexpectedByte, 4), Malformed("trues", .trailingBytes, 4),
        Malformed("undefined", .unexpectedByte, 0), Malformed("NaN", .unexpectedByte, 0),
        Malformed("nan", .unexpectedByte, 1), Malformed("Infinity", .unexpectedByte, 0),
    ]

    static let numbers: [Malformed] = [
        Malformed("-", .unexpectedEnd, 1), Malformed("[-]", .invalidNumber, 2), Malformed("+1", .unexpectedByte, 0),
        Malformed("-+1", .invalidNumber, 1), Malformed("--1", .invalidNumber, 1), Malformed("-a", .invalidNumber, 1),
        Malformed("00", .invalidNumber, 0), Malformed("01", .invalidNumber, 0), Malformed("-01", .invalidNumber, 1),
        Malformed("007", .invalidNumber, 0), Malformed("01.5", .invalidNumber, 0), Malformed(".5", .unexpectedByte, 0),
        Malformed("-.5", .invalidNumber, 1), Malformed("1.", .unexpectedEnd, 2), Malformed("[1.]", .invalidNumber, 3),
        Malformed("1.e5", .invalidNumber, 2), Malformed("1.-5", .invalidNumber, 2), Malformed("1e", .unexpectedEnd, 2),
        Malformed("1e+", .unexpectedEnd, 3), Malformed("[1e]", .invalidNumber, 3),
        Malformed("1e++1", .invalidNumber, 3),
        Malformed("1e1.5", .trailingBytes, 3), Malformed("1.2.3", .trailingBytes, 3),
        Malformed("0x10", .trailingBytes, 1),
        Malformed("1_000", .trailingBytes, 1), Malformed("1,000", .trailingBytes, 1),
        Malformed("1f", .trailingBytes, 1),
        Malformed("-Infinity", .invalidNumber, 1), Malformed("1e400", .numberOutOfRange, 0),
        Malformed("[-1e400]", .numberOutOfRange, 1), Malformed("1e999999999999", .numberOutOfRange, 0),
        Malformed("\u{661}", .unexpectedByte, 0), Malformed("\u{FF11}", .unexpectedByte, 0),
        Malformed(String(repeating: "9", count: 400), .numberOutOfRange, 0),
    ]

    static let strings: [Malformed] = [
        Malformed("\"", .unexpectedEnd, 1), Malformed("\"abc", .unexpectedEnd, 4),
        Malformed("\"abcdefghijkl", .unexpectedEnd, 13), Malformed("\"\\", .unexpectedEnd, 1),
        Malformed("\"\\\"", .unexpectedEnd, 3), Malformed("\"a\nb\"", .controlCharacter, 2),
        Malformed("\"\t\"", .controlCharacter, 1), Malformed("\"\u{0}\"", .controlCharacter, 1),
        Malformed("\"\u{1F}\"", .controlCharacter, 1), Malformed("\"abcdefgh\u{1}\"", .controlCharacter, 9),
        Malformed("\"\\a\"", .invalidEscape, 1), Malformed("\"\\'\"", .invalidEscape, 1),
        Malformed("\"\\0\"", .invalidEscape, 1), Malformed("\"\\x41\"", .invalidEscape, 1),
        Malformed("\"\\U0041\"", .invalidEscape, 1), Malformed("\"\\\n\"", .invalidEscape, 1),
        Malformed("\"\\u\"", .unexpectedEnd, 1), Malformed("\"\\u12\"", .unexpectedEnd, 1),
        Malformed("\"\\u123g\"", .invalidEscape, 1), Malformed("\"\\u-123\"", .invalidEscape, 1),
        Malformed("\"\\u 123\"", .invalidEscape, 1), Malformed("\"\\u{41}\"", .invalidEscape, 1),
        Malformed("\"\\ud800\"", .loneSurrogate, 1), Malformed("\"\\udbff\"", .loneSurrogate, 1),
        Malformed("\"\\udc00\"", .loneSurrogate, 1), Malformed("\"\\udfff\"", .loneSurrogate, 1),
        Malformed("\"\\ud800x\"", .loneSurrogate, 1), Malformed("\"\\ud800\\n\"", .loneSurrogate, 1),
        Malformed("\"\\ud800\\u0041\"", .loneSurrogate, 1), Malformed("\"\\ud800\\ud800\"", .loneSurrogate, 1),
        Malformed("\"\\ude00\\ud83d\"", .loneSurrogate, 1), Malformed("\"\\ud800\\u12\"", .unexpectedEnd, 7),
        Malformed("{\"\\ud800\":1}", .loneSurrogate, 2),
    ]

    /// Not UTF-8, each by itself and behind eight bytes that are read at once.
    static let encodings: [Malformed] = notUTF8.flatMap { bytes in
        [
            Malformed(bytes: [0x22] + bytes + [0x22], .invalidUTF8, 1),
            Malformed(bytes: [0x22] + Array("12345678".utf8) + bytes, .invalidUTF8, 9),
        ]
    }

    private static let notUTF8: [[UInt8]] = [
        [0x80], [0xBF], [0xC0, 0xAF], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
        [0xE2, 0x82], [0xE2, 0x82, 0x41], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xEF, 0xBF],
        [0xF0, 0x80, 0x80, 0x80],
        [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x98], [0xF0, 0x9F, 0x98, 0x41], [0xF4, 0x90, 0x80, 0x80],
        [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF],
    ]

    static let duplicates: [Malformed] = [
        Malformed("{\"a\":1,\"a\":1}", .duplicateKey, 7), Malformed("{\"a\":1,\"\\u0061\":2}", .duplicateKey, 7),
        Malformed("{\"\":1,\"\":2}", .duplicateKey, 6), Malformed("[{\"b\":{\"a\":1,\"a\":2}}]", .duplicateKey, 13),
        Malformed("{\"\u{E9}\":1,\"\\u00e9\":2}", .duplicateKey, 8),
        Malformed(
            "{\"1\":1,\"2\":1,\"3\":1,\"4\":1,\"5\":1,\"6\":1,\"7\":1,\"8\":1,\"9\":1,\"a\":1,\"9\":1}", .duplicateKey,
            61),
    ]

    static let all: [Malformed] = [structure, words, numbers, strings, encodings, duplicates].flatMap { $0 }
}

@Suite("JSON that is refused")
struct JSONReaderRefusalTests {
    @Test("is refused with the reason and the place", arguments: Malformed.all)
    func refuses(malformed: Malformed) {
        #expect(throws: JSONError(malformed.code, offset: malformed.offset)) {
            try JSONReader.parse(malformed.bytes)
        }
    }

    @Test("is a table of at least 80, which meets every reason but the limits")
    func coversReasons() {
        #expect(Malformed.all.count >= 80)
        let limits: Set<JSONError.Code> = [.tooLong, .tooDeep, .tooManyElements]
        #expect(Set(Malformed.all.map(\.code)) == Set(JSONError.Code.allCases).subtracting(limits))
    }

    @Test("is refused wherever a good text is cut off")
    func truncations() throws {
        let text = Array(#"{"a":[1,-2.5e3,true,null],"é\u00e9":{"b":"c\n😀"}}"#.utf8)
        _ = try JSONReader.parse(text)
        for length in 0..<text.count {
            #expect(throws: JSONError.self) { try JSONReader.parse(Array(text.prefix(length))) }
        }
    }

    @Test("tells the place and the reason, and repeats nothing of the text")
    func describes() {
        let error = JSONError(.duplicateKey, offset: 17)
        #expect(error.description == "json_duplicate_key at byte 17")
    }
}

import Foundation
import ReveilleBytes
import ReveilleJSON
import Testing

@Suite("JSON that is read")
struct JSONReaderAcceptanceTests {
    @Test(
        "gives the value it spells",
        arguments: [
            ("null", .null), ("true", .boolean(true)), (" false\n", .boolean(false)), ("\t\r\n 1 \t\r\n", .integer(1)),
            ("0", .integer(0)), ("-1", .integer(-1)), ("10", .integer(10)),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("\"\"", .string("")), ("\"a\"", .string("a")), ("\"abcdefgh\"", .string("abcdefgh")),
            ("\"abcdefghijklmnopqrstuvwxyz 0123456789\"", .string("abcdefghijklmnopqrstuvwxyz 0123456789")),
            ("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", .string("\"\\/\u{8}\u{C}\n\r\t")),
            ("\"\\u0041\\u00e9\\u00E9\\u20AC\\ud83d\\uDE00\\u0000\"", .string("Aéé€😀\u{0}")),
            ("\"\\uFFFF\\ue000\\ud7ff\"", .string("\u{FFFF}\u{E000}\u{D7FF}")),
            (
                "\"é€😀\u{10FFFF}\u{7F}\u{80}\u{7FF}\u{800}\u{FFFD}\"",
                .string("é€😀\u{10FFFF}\u{7F}\u{80}\u{7FF}\u{800}\u{FFFD}")
            ),
            ("\"before\\nafter\"", .string("before\nafter")), ("\"12345678\\n\"", .string("12345678\n")),
            ("[]", []), ("[ ]", []), ("[1,[2,[3]],\"4\"]", [1, [2, [3]], "4"]), ("[null]", [nil]),
            ("{}", [:]), ("{ }", [:]), ("{\"\":{}}", ["": [:]]),
            ("{\"a\" : 1 , \"b\" : [ true ] }", ["a": 1, "b": [true]]),
            ("{\"a\":1,\"A\":2,\"K\":3,\"k\":4}", ["a": 1, "A": 2, "K": 3, "k": 4]),
        ] as [(String, JSONValue)])
    func accepts(text: String, value: JSONValue) throws {
        #expect(try JSONReader.parse(text: text) == value)
    }

    static let numberTexts: [(String, Double)] = [
        ("1.0", 1.0), ("-0", -0.0), ("-0.0", -0.0), ("1e2", 100.0), ("1E+2", 100.0), ("12.5e-1", 1.25), ("0.1", 0.1),
        ("0e0", 0.0), ("1.50", 1.5), ("5e-324", Double.leastNonzeroMagnitude), ("1e-400", 0.0),
        ("1.7976931348623157e308", Double.greatestFiniteMagnitude),
        ("3.14159265358979323846264338327950288", Double.pi),
        ("123456789012345678901234567890.0", 123456789012345678901234567890.0),
    ]

    @Test(
        "numbers with fraction or exponent are read as numbers and written again as they were", arguments: numberTexts)
    func numbers(text: String, double: Double) throws {
        for (before, after) in [("", ""), ("[", "]"), ("{\"a\":", "}")] {
            let value = try JSONReader.parse(text: before + text + after)
            #expect(value.encoded() == Array((before + text + after).utf8))
            let number = value["a"] ?? value.array?[0] ?? value
            #expect(number.double == double)
            #expect(number.integer == nil)
        }
    }

    @Test("whole numbers are exact up to 64 bits and refused beyond, wherever they stand")
    func wholeNumbers() throws {
        let numbers: [Int64] = [.max, .min, 9_223_372_036_854_775_806, 9_007_199_254_740_993, -9_007_199_254_740_993]
        for number in numbers {
            #expect(try JSONReader.parse(text: "[\(number)]").encoded() == Array("[\(number)]".utf8))
        }
        for text in [
            "9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616",
            "-18446744073709551615", "123456789012345678901234567890",
        ] {
            #expect(throws: JSONError(.numberOutOfRange, offset: 0)) { try JSONReader.parse(text: text) }
            #expect(throws: JSONError(.numberOutOfRange, offset: 6)) { try JSONReader.parse(text: "{\"a\": \(text)}") }
        }
    }

    @Test("is read at every alignment in memory and wherever a string's end falls")
    func alignments() throws {
        for shift in 0..<9 {
            for length in 0..<40 {
                let word = String(repeating: "x", count: length)
                let text = String(repeating: " ", count: shift) + "[\"\(word)\",\"\(word)é\",\"\(word)\\n\"]"
                #expect(
                    try JSONReader.parse(text: text) == [
                        .string(word), .string(word + "é"), .string(word + "\n"),
                    ])
            }
        }
    }

    @Test("keeps the order of members, in small and large objects")
    func keepsOrder() throws {
        for count in [1, 8, 9, 50] {
            let keys = (0..<count).map { "key\(count - $0)" }
            let text = "{" + keys.map { "\"\($0)\":1" }.joined(separator: ",") + "}"
            #expect(try JSONReader.parse(text: text).object?.keys == keys)
        }
    }

    @Test("takes keys that only Unicode calls equal for two, in small and large objects")
    func exactKeys() throws {
        for filler in [0, 20] {
            let fillers = (0..<filler).map { "\"\($0)\":0," }.joined()
            let value = try JSONReader.parse(
                text: "{\(fillers)\"\u{E9}\":1,\"e\u{301}\":2,\"q\u{323}\u{307}\":3,\"q\u{307}\u{323}\":4}")
            #expect(value.object?.count == filler + 4)
            #expect(value["q\u{307}\u{323}"] == 4)
        }
    }

    @Test("is judged as an independent strict reader judges 900 damaged texts")
    func mutations() throws {
        let url = try #require(Bundle.module.url(forResource: "Vectors/mutations", withExtension: "json"))
        let entries = try #require(JSONReader.parse(Array(Data(contentsOf: url))).array)
        #expect(entries.count == 900)
        var beyond = 0
        for entry in entries {
            let bytes = try #require(Base64.decode(entry["text_base64"]?.string ?? "?"))
            let isAccepted = entry["accepted"]?.boolean
            do throws(JSONError) {
                _ = try JSONReader.parse(bytes)
                #expect(isAccepted == true, "\(Hex.encode(bytes))")
            } catch {
                // The other reader has numbers of any size.
                if error.code == .numberOutOfRange, isAccepted == true {
                    beyond += 1
                } else {
                    #expect(isAccepted == false, "\(Hex.encode(bytes))")
                }
            }
        }
        #expect(beyond == 79)
    }

    @Test("up to each limit is accepted, and one beyond refused")
    func limits() throws {
        let depth = JSONLimits(maximumDepth: 3)
        #expect(try JSONReader.parse(text: "[[[1]]]", limits: depth) == [[[1]]])
        #expect(try JSONReader.parse(text: "{\"a\":[{}]}", limits: depth) == ["a": [[:]]])
        #expect(throws: JSONError(.tooDeep, offset: 3)) { try JSONReader.parse(text: "[[[[]]]]", limits: depth) }
        #expect(throws: JSONError(.tooDeep, offset: 7)) {
            try JSONReader.parse(text: "[[{\"a\":{}}]]", limits: depth)
        }

        let elements = JSONLimits(maximumElements: 3)
        #expect(try JSONReader.parse(text: "[1,2]", limits: elements) == [1, 2])
        #expect(throws: JSONError(.tooManyElements, offset: 5)) {
            try JSONReader.parse(text: "[1,2,3]", limits: elements)
        }

        let length = JSONLimits(maximumBytes: 4)
        #expect(try JSONReader.parse(text: "[12]", limits: length) == [12])
        #expect(throws: JSONError(.tooLong, offset: 4)) { try JSONReader.parse(text: "[12] ", limits: length) }
    }

    @Test("never nests deeper than the stack allows, whatever limit is asked for")
    func deepestLimit() {
        let limits = JSONLimits(maximumBytes: .max, maximumDepth: .max, maximumElements: .max)
        #expect(limits.maximumDepth == JSONLimits.deepestDepth)
        let text = String(repeating: "[", count: 1_000_000)
        #expect(throws: JSONError(.tooDeep, offset: JSONLimits.deepestDepth)) {
            try JSONReader.parse(text: text, limits: limits)
        }
    }
}

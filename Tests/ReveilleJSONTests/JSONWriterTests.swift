import ReveilleJSON
import ReveilleRuntime
import ReveilleTesting
import Testing

@Suite("JSON that is written")
struct JSONWriterTests {
    private func text(_ value: JSONValue) -> String {
        String(decoding: value.encoded(), as: UTF8.self)
    }

    @Test(
        "is compact, in order, and escapes only what must be",
        arguments: [
            (nil, "null"), (true, "true"), (false, "false"), (0, "0"), (-12, "-12"),
            (.integer(.min), "-9223372036854775808"),
            (1.5, "1.5"), (JSONValue(-0.0), "-0.0"), (1e300, "1e+300"), (JSONValue(.infinity), "null"),
            (JSONValue(.nan), "null"), ("", "\"\""), ("a/b", "\"a/b\""),
            ("é 😀 \u{2028}\u{7F}", "\"é 😀 \u{2028}\u{7F}\""),
            ("\"\\\n\r\t\u{8}\u{C}\u{0}\u{1F}", #""\"\\\n\r\t\b\f\u0000\u001f""#), ([], "[]"), ([:], "{}"),
            ([1, [2, []], [:]], "[1,[2,[]],{}]"), (["b": 1, "a": ["c": nil]], #"{"b":1,"a":{"c":null}}"#),
            (["\n": "x"], #"{"\n":"x"}"#),
        ] as [(JSONValue, String)])
    func writes(value: JSONValue, expected: String) {
        #expect(text(value) == expected)
    }

    @Test("member by member is the same as from a value")
    func stepByStep() {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("list")
        writer.beginArray()
        writer.integer(UInt64.max)
        writer.beginObject()
        writer.endObject()
        writer.string("x")
        writer.endArray()
        writer.key("flag")
        writer.boolean(true)
        writer.key("none")
        writer.null()
        writer.key("value")
        writer.value(["a": [1, 2.5]])
        writer.key("stored")
        writer.raw(Array("[0]".utf8))
        writer.key("last")
        writer.number(2)
        writer.endObject()
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == #"{"list":[18446744073709551615,{},"x"],"flag":true,"none":null,"value":{"a":[1,2.5]},"stored":[0],"last":2.0}"#
        )
    }

    @Test("is read back as the same value", arguments: TestSeed.both)
    func roundTrips(seed: UInt64) throws {
        let random = SeededRandom(seed: seed)
        for _ in 0..<TestScale.count(20_000) {
            let value = randomValue(random, depth: 0)
            #expect(try JSONReader.parse(value.encoded()) == value, TestSeed.comment(seed))
        }
    }

    private func randomValue(_ random: SeededRandom, depth: Int) -> JSONValue {
        switch random.uniform(0..<(depth < 4 ? 8 : 6)) {
        case 0: return nil
        case 1: return .boolean(random.uniform(0..<2) == 0)
        case 2: return .integer(Int64(bitPattern: random.uint64()) >> Int64(random.uniform(0..<64)))
        case 3:
            let number = Double(bitPattern: random.uint64())
            return JSONValue(number.isFinite ? number : 0.5)
        case 4, 5: return .string(randomText(random))
        case 6: return .array((0..<random.uniform(0..<5)).map { _ in randomValue(random, depth: depth + 1) })
        default:
            var object = JSONObject()
            for index in 0..<random.uniform(0..<12) {
                object["\(index)\(randomText(random))"] = randomValue(random, depth: depth + 1)
            }
            return .object(object)
        }
    }

    private func randomText(_ random: SeededRandom) -> String {
        var text = ""
        for _ in 0..<random.uniform(0..<20) {
            let widths: [UInt32] = [0x20, 0x80, 0x800, 0x10000, 0x110000]
            let value = UInt32(random.uniform(0..<Int(widths[random.uniform(0..<5)])))
            text.unicodeScalars.append(Unicode.Scalar(value) ?? "\u{FFFD}")
        }
        return text
    }
}

@Suite("A JSON value")
struct JSONValueTests {
    @Test("gives its content by type, and nil for any other type")
    func accessors() {
        let all: [JSONValue] = [nil, true, 1, 1.5, "s", [1], ["k": 1]]
        #expect(all.map(\.string) == [nil, nil, nil, nil, "s", nil, nil])
        #expect(all.map(\.integer) == [nil, nil, 1, nil, nil, nil, nil])
        #expect(all.map(\.double) == [nil, nil, 1, 1.5, nil, nil, nil])
        #expect(all.map(\.boolean) == [nil, true, nil, nil, nil, nil, nil])
        #expect(all.map { $0.array?.count } == [nil, nil, nil, nil, nil, 1, nil])
        #expect(all.map { $0.object?.count } == [nil, nil, nil, nil, nil, nil, 1])
        #expect(all.map(\.isNull) == [true, false, false, false, false, false, false])
        #expect(all.map { $0["k"] } == [nil, nil, nil, nil, nil, nil, 1])
    }

    @Test("that is an object sets, replaces in place and removes members")
    func editsObjects() {
        var object: JSONObject = ["a": 1, "b": 2]
        object["a"] = 3
        object["c"] = 4
        object["b"] = nil
        object["d"] = nil
        #expect(object.keys == ["a", "c"])
        #expect(object["a"] == 3)
        #expect(!object.isEmpty)
    }

    @Test("that is an object equals another with the same members in any order")
    func equality() {
        #expect(["a": 1, "b": 2] as JSONValue == ["b": 2, "a": 1])
        #expect(["a": 1, "b": 2] as JSONValue != ["a": 1, "c": 2])
        #expect(["a": 1, "b": 2] as JSONValue != ["a": 1])
        #expect(["a": 1] as JSONValue != ["a": 1.5])
        #expect([1, 2] as JSONValue != [2, 1])
    }

    @Test("is looked up by the exact bytes of the key, not by what Unicode calls equal")
    func exactKeys() {
        let object: JSONObject = ["\u{212A}": 1]
        #expect(object["K"] == nil)
        #expect(object["\u{212A}"] == 1)
        let twins: JSONObject = ["\u{E9}": 1, "e\u{301}": 2]
        #expect(twins["\u{E9}"] == 1)
        #expect(twins["e\u{301}"] == 2)
        #expect(twins == ["e\u{301}": 2, "\u{E9}": 1])
        #expect(JSONObject(dictionaryLiteral: ("\u{E9}", 1)) != ["e\u{301}": 1])
    }
}

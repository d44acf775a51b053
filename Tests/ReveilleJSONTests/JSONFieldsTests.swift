import ReveilleJSON
import Testing

private enum Mode: String, CaseIterable {
    case visible, silent
}

private enum Lonely: String, CaseIterable {
    case only
}

@Suite("Fields of a JSON object")
struct JSONFieldsTests {
    /// The error of reading `text` with `read`.
    private func failure(
        _ value: JSONValue, _ read: (inout JSONFields) throws -> Void
    ) -> JSONFieldError? {
        do {
            var fields = try JSONFields(value)
            try read(&fields)
            try fields.finish()
            return nil
        } catch {
            return error as? JSONFieldError
        }
    }

    @Test("of every type are read, present and absent")
    func readsAll() throws {
        var fields = try JSONFields([
            "text": "a", "empty": "", "list": ["a", "b"], "number": 7, "flag": true, "word": "silent",
            "object": ["inner": 1], "array": [1, "x"], "nothing": nil, "legacy": [1, 2],
        ])
        #expect(try fields.requiredString("text", maximumBytes: 1) == "a")
        #expect(try fields.optionalString("empty", maximumBytes: 1) == "")
        #expect(try fields.optionalString("absent", maximumBytes: 1) == nil)
        #expect(try fields.requiredStrings("list", maximumCount: 2, maximumBytes: 1) == ["a", "b"])
        #expect(try fields.optionalStrings("absent", maximumCount: 2, maximumBytes: 1) == nil)
        #expect(try fields.requiredInteger("number", in: 7...7) == 7)
        #expect(try fields.optionalInteger("absent", in: 7...7) == nil)
        #expect(try fields.requiredBoolean("flag"))
        #expect(try fields.optionalBoolean("absent") == nil)
        #expect(try fields.requiredWord("word", Mode.self) == .silent)
        #expect(try fields.optionalWord("absent", Mode.self) == nil)
        var inner = try fields.requiredObject("object")
        #expect(try inner.requiredInteger("inner", in: 0...9) == 1)
        try inner.finish()
        #expect(try fields.optionalObject("absent") == nil)
        let elements = try fields.requiredArray("array", maximumCount: 2)
        #expect(elements.map(\.path) == ["array[0]", "array[1]"])
        #expect(elements.map(\.value) == [1, "x"])
        #expect(try fields.optionalArray("absent", maximumCount: 2) == nil)
        #expect(try fields.optionalString("nothing", maximumBytes: 1) == nil)
        fields.ignore("legacy")
        fields.ignore("absent")
        try fields.finish()
    }

    @Test("tell absent, null and given apart")
    func presence() throws {
        var fields = try JSONFields(["null": nil, "empty": []])
        #expect(fields.presence(of: "absent") == .absent)
        #expect(fields.presence(of: "null") == .null)
        #expect(fields.presence(of: "empty") == .given([]))
        try fields.finish()
    }

    @Test("that are wrong are refused with reason and name")
    func refusals() {
        let wrong: [(JSONFieldError?, JSONFieldError.Code, String)] = [
            (failure([:]) { _ = try $0.requiredString("a", maximumBytes: 9) }, .missingField, "a"),
            (failure(["a": nil]) { _ = try $0.requiredString("a", maximumBytes: 9) }, .missingField, "a"),
            (failure(["a": 1]) { _ = try $0.requiredString("a", maximumBytes: 9) }, .wrongType, "a"),
            (failure(["a": ""]) { _ = try $0.requiredString("a", maximumBytes: 9) }, .tooShort, "a"),
            (failure(["a": "éé"]) { _ = try $0.requiredString("a", maximumBytes: 3) }, .tooLong, "a"),
            (failure(["a": "éé"]) { _ = try $0.optionalString("a", maximumBytes: 3) }, .tooLong, "a"),
            (failure(["a": [:]]) { _ = try $0.optionalString("a", maximumBytes: 3) }, .wrongType, "a"),
            (failure([:]) { _ = try $0.requiredStrings("a", maximumCount: 1, maximumBytes: 1) }, .missingField, "a"),
            (
                failure(["a": "x"]) { _ = try $0.requiredStrings("a", maximumCount: 1, maximumBytes: 1) }, .wrongType,
                "a"
            ),
            (
                failure(["a": ["x", 1]]) { _ = try $0.optionalStrings("a", maximumCount: 2, maximumBytes: 1) },
                .wrongType, "a[1]"
            ),
            (
                failure(["a": ["x", "xx"]]) { _ = try $0.optionalStrings("a", maximumCount: 2, maximumBytes: 1) },
                .tooLong, "a[1]"
            ),
            (
                failure(["a": [""]]) { _ = try $0.optionalStrings("a", maximumCount: 2, maximumBytes: 1) }, .tooShort,
                "a[0]"
            ),
            (
                failure(["a": ["x", "y"]]) { _ = try $0.optionalStrings("a", maximumCount: 1, maximumBytes: 1) },
                .tooLong, "a"
            ),
            (failure([:]) { _ = try $0.requiredInteger("a", in: 0...1) }, .missingField, "a"),
            (failure(["a": 2]) { _ = try $0.requiredInteger("a", in: 0...1) }, .outOfRange, "a"),
            (failure(["a": -1]) { _ = try $0.optionalInteger("a", in: 0...1) }, .outOfRange, "a"),
            (failure(["a": 1.0]) { _ = try $0.requiredInteger("a", in: 0...1) }, .wrongType, "a"),
            (failure(["a": "1"]) { _ = try $0.requiredInteger("a", in: 0...1) }, .wrongType, "a"),
            (failure([:]) { _ = try $0.requiredBoolean("a") }, .missingField, "a"),
            (failure(["a": 1]) { _ = try $0.optionalBoolean("a") }, .wrongType, "a"),
            (failure(["a": "loud"]) { _ = try $0.requiredWord("a", Mode.self) }, .invalidValue, "a"),
            (failure(["a": true]) { _ = try $0.optionalWord("a", Mode.self) }, .wrongType, "a"),
            (failure(["a": []]) { _ = try $0.requiredObject("a") }, .notAnObject, "a"),
            (failure(["a": "x"]) { _ = try $0.optionalObject("a") }, .notAnObject, "a"),
            (failure(["a": 1]) { _ = try $0.requiredArray("a", maximumCount: 1) }, .wrongType, "a"),
            (failure(["a": [1, 2]]) { _ = try $0.optionalArray("a", maximumCount: 1) }, .tooLong, "a"),
            (failure(["a": 1, "b": 2]) { $0.ignore("a") }, .unknownField, "b"),
            (failure([1]) { _ in }, .notAnObject, ""),
        ]
        for (error, code, field) in wrong {
            #expect(error?.code == code)
            #expect(error?.field == field)
        }
    }

    @Test("whoever sends a word that is none is told the words")
    func wordsAreListed() {
        for wrong in ["loud", true, ["silent"]] as [JSONValue] {
            let error = failure(["a": wrong]) { _ = try $0.requiredWord("a", Mode.self) }
            #expect(error?.explanation.description == "must be `visible` or `silent`")
        }
        #expect(FieldExplanation(oneOf: Lonely.self).description == "must be `only`")
        #expect(FieldExplanation(oneOf: Lonely.self, or: "a number").description == "must be `only` or a number")
    }

    @Test("of nested objects are named by their path")
    func nestedPaths() throws {
        let error = failure(["a": ["b": ["c": 1]]]) { fields in
            var a = try fields.requiredObject("a")
            var b = try a.requiredObject("b")
            _ = try b.requiredString("c", maximumBytes: 1)
        }
        #expect(error?.field == "a.b.c")
        let fields = try JSONFields([:], at: "recipients[2]")
        #expect(fields.path(of: "id") == "recipients[2].id")
        #expect(fields.error(.invalidValue, "id", "no") == JSONFieldError(.invalidValue, at: "recipients[2].id", "no"))
    }

    @Test(
        "have names that are safe to repeat: printable ASCII, cut to 64 characters",
        arguments: [
            ("plain_name[0].x", "plain_name[0].x"), ("a\nb", "a\\u{a}b"), ("é", "\\u{e9}"),
            ("back\\slash", "back\\u{5c}slash"),
            ("<script>\u{202E}", "<script>\\u{202e}"),
            (String(repeating: "x", count: 100), String(repeating: "x", count: 64)),
            (String(repeating: "x", count: 62) + "\u{1F600}y", String(repeating: "x", count: 62)),
        ])
    func safeNames(path: String, field: String) {
        #expect(JSONFieldError(.unknownField, at: path, "x").field == field)
    }
}

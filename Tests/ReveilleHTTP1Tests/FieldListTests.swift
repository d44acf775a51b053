import ReveilleBytes
import Testing

@Suite("A list of fields")
struct FieldListTests {
    @Test("keeps order and finds by name")
    func order() {
        var list = FieldList()
        list.append("Accept", "a")
        list.append("x", "1", isSensitive: true)
        list.append("ACCEPT", "b")
        #expect(list.count == 3)
        #expect(list["accept"] == "a")
        #expect(list.values("accept") == ["a", "b"])
        #expect(list["accep"] == nil)
        #expect(list.name(at: 2) == "accept")
        #expect(list.isSensitive(at: 1))
        #expect(!list.isSensitive(at: 0))
        #expect(list.listSize == 6 + 1 + 1 + 1 + 6 + 1 + 3 * 32)
        list.removeAll(named: "accept")
        #expect(list.count == 1)
        #expect(list["x"] == "1")
        list.removeAll()
        #expect(list.isEmpty)
    }

    @Test(
        "cannot express the end of a field or of a section",
        arguments: ["a\r\nSet-Cookie: b", "a\nb", "a\rb", "a\u{0}b", "a\u{7F}b", "a\u{85}b\u{2028}c"])
    func injection(value: String) {
        var list = FieldList()
        list.append("location", value)
        list.withValue(at: 0) { bytes in
            #expect(bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F })
            #expect(bytes.count == value.unicodeScalars.count)
        }
    }

    @Test("keeps bytes over 0x7F apart from each other, in both directions")
    func latin1() {
        var list = FieldList()
        let bytes: [UInt8] = [0x61, 0x80, 0xE9, 0xFF]
        bytes.withUnsafeBytes { value in
            [UInt8]("n".utf8).withUnsafeBytes { list.append(checkedName: $0, value: value) }
        }
        let text = list["n"] ?? ""
        #expect(text.unicodeScalars.map(\.value) == [0x61, 0x80, 0xE9, 0xFF])
        var copy = FieldList()
        copy.append("n", text)
        #expect(copy == list)
        var foreign = FieldList()
        foreign.append("n", "snow\u{2603}")
        #expect(foreign["n"] == "snow?")
    }

    @Test("shows neither names nor values")
    func redacted() {
        var list = FieldList()
        list.append("authorization", "Bearer secret")
        for text in ["\(list)", String(reflecting: list), "\(Optional(list) as Any)"] {
            #expect(!text.contains("secret"))
            #expect(!text.contains("authorization"))
        }
        var dumped = ""
        dump(list, to: &dumped)
        #expect(!dumped.contains("secret"))
    }

    @Test("lists are equal when pairs and order are")
    func equality() {
        var first = FieldList()
        first.append("a", "1")
        first.append("b", "2")
        var second = FieldList()
        second.append("b", "2")
        #expect(first != second)
        first.removeAll(named: "a")
        #expect(first == second)
        second.append("b", "3")
        #expect(first != second)
    }
}

import ReveilleCore
import Testing

@Suite("Ids inside payloads")
struct PayloadIDTests {
    @Test(
        "letters, digits and the four other unreserved characters are an id", arguments: ["", "aZ09-._~", "01JOPAQUE"])
    func wellFormed(text: String) throws {
        let id = try #require(PayloadID(text))
        #expect(id.text == text)
        #expect(id.isEmpty == text.isEmpty)
    }

    @Test(
        "anything that would need escaping is refused",
        arguments: ["\"", "\\", "a b", "a\nb", "a/b", "é", "\u{0}", "{", "a,b", "a:b"])
    func malformed(text: String) {
        #expect(PayloadID(text) == nil)
    }

    @Test("128 characters fit, 129 do not")
    func limit() {
        #expect(PayloadID(String(repeating: "x", count: 128))?.count == 128)
        #expect(PayloadID(String(repeating: "x", count: 129)) == nil)
    }
}

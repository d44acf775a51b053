import ReveilleAPNs
import ReveilleJSON
import Testing

@Suite("Collapse ids of any length")
struct CollapseHeaderTests {
    @Test("octets count; longer ones are replaced by a digest, never cut, and an empty one sends nothing")
    func lengths() throws {
        let file = try CaseFile("035-collapse-id-bytes")
        let ids = try #require(file.input["collapse_ids"]?.array)
        let counts = try #require(file.expected["byte_lengths"]?.array)
        let verdicts = try #require(file.expected["sent_as_is"]?.array)
        for (index, id) in ids.enumerated() {
            let id = try #require(id.text)
            #expect(JSONValue.integer(Int64(id.utf8.count)) == counts[index])
            let value = CollapseHeader.value(for: id)
            switch verdicts[index] {
            case .boolean(true): #expect(value == id)
            case .boolean(false):
                #expect(value?.utf8.count == 43)
                #expect(value == CollapseHeader.value(for: id))
                #expect(value != CollapseHeader.value(for: id + "b"))
            default: #expect(value == nil)
            }
        }
    }
}

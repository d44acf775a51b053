import ReveilleBytes
import ReveilleCore
import ReveilleJSON
import Testing

@Suite("Collapse ids")
struct CollapseIDTests {
    @Test("they are the first 26 characters of the base32 of the keyed hash")
    func fromHash() {
        let code = [UInt8](0..<32)
        #expect(CollapseID(authenticationCode: code).text == String(Base32.encode(code).prefix(26)))
        #expect(CollapseID(authenticationCode: code).text == "AAAQEAYEAUDAOCAJBIFQYDIOB4")
    }

    @Test("the limit of 64 counts octets, not characters (case 35)")
    func octets() throws {
        let vector = try Vectors.load("035-collapse-id-bytes")
        let texts = vector.list(at: "input", "collapse_ids").compactMap(\.string)
        let sent = vector.list(at: "expected", "sent_as_is")
        #expect(texts.count == sent.count && texts.count == 5)
        for (text, sentAsIs) in zip(texts, sent) {
            let isSent = sentAsIs == .boolean(true)
            #expect((CollapseID(stored: text)?.text == text) == isSent, "\(text.utf8.count) octets")
        }
        // What is made here always fits, however long the series is.
        #expect(CollapseID(authenticationCode: [UInt8](repeating: 0xFF, count: 32)).text.utf8.count <= 64)
    }

    @Test("no two subjects of one device are hashed alike")
    func subjects() {
        let number: Int64 = 0x4142_4344_4546_4748
        let subjects: [CollapseSubject] = [
            .series("ABCDEFGH"), .delivery(DeliveryRow(number)), .wake(WakeRow(number)), .series(""),
            .series("\u{1}ABCDEFGH"),
        ]
        let inputs = subjects.map { CollapseID.input(serverDeviceID: "D", subject: $0) }
        #expect(Set(inputs).count == subjects.count)
        #expect(inputs[1] == Array("D".utf8) + [0x02] + Array("ABCDEFGH".utf8))
        #expect(CollapseID.input(serverDeviceID: "E", subject: subjects[0]) != inputs[0])
    }

    @Test("a short hash is a programmer's error")
    func shortHash() async {
        await #expect(processExitsWith: .failure) { _ = CollapseID(authenticationCode: [1, 2, 3]) }
    }
}

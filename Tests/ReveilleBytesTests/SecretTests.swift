import ReveilleBytes
import ReveilleTesting
import Testing

@Suite("Secrets")
struct SecretTests {
    private let word = "hunter2-canary"

    /// Everything that Swift can make of a value without being asked for its content.
    private func texts(of value: some Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return [
            String(describing: value), String(reflecting: value), "\(value)", dumped, "\(Optional(value) as Any)",
            "\([value])", "\((value, value))", "\(Mirror(reflecting: value).children.map(\.value))",
        ]
    }

    @Test("do not appear in any text that Swift makes of them")
    func areNotPrinted() {
        struct Holder {
            let text: SecretText
            let bytes: SecretBytes
        }
        let text = SecretText(word)
        let bytes = SecretBytes(Array(word.utf8))
        let all =
            texts(of: text) + texts(of: bytes) + texts(of: Holder(text: text, bytes: bytes))
            + texts(of: ["key": text])
        for printed in all {
            #expect(!printed.contains("hunter"))
            #expect(!printed.contains("104"))
            #expect(!printed.lowercased().contains("68756e74"))
        }
        #expect("\(text) \(bytes)" == "‹secret› ‹secret›")
    }

    @Test("come out by the one named way only, unchanged")
    func reveal() {
        for word in ["", word, "naïve – 秘密 🔑"] {
            let text = SecretText(word)
            #expect(text.reveal() == word)
            #expect(text.utf8Count == word.utf8.count)
            #expect(text.withUnsafeBytes { Array($0) } == Array(word.utf8))
        }
        let bytes = SecretBytes([1, 2, 3])
        #expect(bytes.count == 3)
        #expect(bytes.withUnsafeBytes { Array($0) } == [1, 2, 3])
    }

    @Test("are equal when their bytes are, and only then")
    func equality() {
        #expect(SecretText("abc") == SecretText("abc"))
        #expect(SecretText("abc") != SecretText("abd"))
        #expect(SecretText("abc") != SecretText("ab"))
        #expect(SecretBytes([]) == SecretBytes([]))
    }

    @Test("can be written in place")
    func inPlace() {
        let secret = SecretBytes(count: 4) { buffer in
            for index in buffer.indices { buffer[index] = UInt8(index) }
        }
        #expect(secret == SecretBytes([0, 1, 2, 3]))
    }

    @Test(
        "are overwritten in memory when the last copy goes",
        .enabled(if: TestScale.current != .sanitizer, "a sanitizer keeps freed memory from being read"))
    func wiped() async {
        await #expect(processExitsWith: .success) {
            var secrets = [
                SecretBytes(count: 256) { buffer in
                    for index in buffer.indices { buffer[index] = MemorySearch.patternByte(index) }
                }
            ]
            precondition(MemorySearch.patternCount() == 1, "the search does not see a living secret")
            secrets.append(secrets[0])
            secrets.removeFirst()
            precondition(MemorySearch.patternCount() == 1, "the secret went while a copy lived")
            secrets.removeAll()
            precondition(MemorySearch.patternCount() == 0, "the secret is still in memory")
        }
    }

    @Test("that could not be written in place are not made")
    func inPlaceFailure() {
        struct Failure: Error {}
        #expect(throws: Failure.self) {
            _ = try SecretBytes(count: 4) { (_) throws(Failure) in throw Failure() }
        }
    }

    @Test("constant-time comparison finds a difference at any place")
    func constantTime() {
        let bytes = (0..<64).map { UInt8($0) }
        #expect(ConstantTime.equal(bytes, bytes))
        #expect(ConstantTime.equal([UInt8](), []))
        #expect(!ConstantTime.equal(bytes, Array(bytes.dropLast())))
        for index in bytes.indices {
            for bit in 0..<8 {
                var other = bytes
                other[index] ^= 1 << UInt8(bit)
                #expect(!ConstantTime.equal(bytes, other))
            }
        }
    }
}

import ReaderFuzzing
import Testing

@Suite("Inputs as lines of text")
struct CorpusTextTests {
    @Test("every byte survives a line")
    func everyByte() throws {
        let all = [UInt8](0...255)
        let inputs: [[UInt8]] = [all, all.reversed(), [0x23], [0x5C, 0x5C, 0x72]]
        let text = inputs.map { CorpusText.line($0) + "\n" }.joined()
        #expect(try CorpusText.inputs(in: text) == inputs)
        #expect(CorpusText.line([0x23, 0x20, 0x20]) == "\\x23 \\x20")
    }

    @Test("comments and empty lines are no inputs")
    func comments() throws {
        #expect(try CorpusText.inputs(in: "# why\n\na\\r\\n\n") == [[0x61, 0x0D, 0x0A]])
    }

    @Test("a line that cannot be read is named", arguments: ["\\q", "\\x1", "\\xzz", "\\", "é"])
    func malformed(line: String) {
        #expect(throws: CorpusText.Malformed(line: 2)) { try CorpusText.inputs(in: "a\n" + line) }
    }
}

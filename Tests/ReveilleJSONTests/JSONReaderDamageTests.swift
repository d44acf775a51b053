import ReveilleJSON
import ReveilleRuntime
import ReveilleTesting
import Testing

@Suite("Damaged JSON")
struct JSONReaderDamageTests {
    private static let text = Array(
        #"{"a":[1,-2.5e3,true,null,"x"],"é\u00e9\ud83d\ude00":{"b":"c\n😀","":[[]]},"n":9223372036854775807}"#.utf8)
    private static let pieces: [[UInt8]] =
        [
            "\"", "\\", "{", "}", "[", "]", ",", ":", "0", "1", "-", ".", "e", "u", " ", "\n", "\u{0}", "\u{7F}", "é",
            "\\ud83d",
            "\\u0000", "null", "true", "\"k\":", "1e308", "00",
        ].map { Array($0.utf8) } + [[0x80], [0xC3], [0xFF], [0xED, 0xA0, 0x80]]

    @Test(
        "never makes the reader trap, and what is accepted is written and read back as the same",
        arguments: TestSeed.both)
    func survives(seed: UInt64) throws {
        let random = SeededRandom(seed: seed)
        var accepted = 0
        for _ in 0..<TestScale.count(200_000) {
            var text = Self.text
            for _ in 0...random.uniform(0..<4) {
                let place = random.uniform(0..<text.count)
                let end = min(place + random.uniform(0..<3), text.count)
                text.replaceSubrange(place..<end, with: Self.pieces[random.uniform(0..<Self.pieces.count)])
            }
            guard let value = try? JSONReader.parse(text) else { continue }
            accepted += 1
            let written = value.encoded()
            #expect(try JSONReader.parse(written) == value, TestSeed.comment(seed))
            #expect(try JSONReader.parse(written).encoded() == written, TestSeed.comment(seed))
        }
        #expect(accepted > 0)
    }
}

import ReveilleCommands
import ReveilleJSON
import Testing

@Suite("The encryption for push services is measured", .timeLimit(.minutes(5)))
struct BenchEncryptCommandTests {
    @Test("the figures are one JSON line, of messages as long as a wake's")
    func figures() async throws {
        let run = await CommandRun.of("bench", "encrypt", "--count", "50", "--json")
        #expect(run.status == .success && run.lines.count == 1, "\(run.error)")
        #expect(run.json["messages"] == 50)
        // 86 octets before the record, 512 of text and padding, one delimiter, 16 of tag.
        #expect(run.json["octets"] == 615)
        #expect((run.json["rate"]?.integer ?? 0) > 0 && (run.json["per_core"]?.integer ?? 0) > 0)
        #expect(Set(run.json.object?.members.map(\.key) ?? []) == ["messages", "octets", "rate", "per_core"])
    }

    @Test("without --json the figures are a sentence")
    func sentence() async {
        let run = await CommandRun.of("bench", "encrypt", "--count", "2")
        #expect(run.status == .success && run.out.contains("messages a second"), "\(run.out)")
    }

    @Test("a wrong call is status 2 and names its option", arguments: ["0", "x", "100000001"])
    func wrongCalls(count: String) async {
        let run = await CommandRun.of("bench", "encrypt", "--count", count)
        #expect(run.status == .usage && run.error.contains("--count"), "\(run.error)")
    }
}

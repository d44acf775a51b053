import RawSockets
import ReveilleBytes
import ReveilleHomeAPI
import ReveilleJSON
import Testing

@Suite("Every code of the error catalogue", .timeLimit(.minutes(5)))
struct ProducedCodeTests {
    @Test("is produced over HTTP, with its status and as a problem detail", arguments: ProducedCode.all)
    func produced(row: ProducedCode) async throws {
        let answer = try await ServedHome.with(row.setup) { try await row.answer($0) }
        #expect(answer.status == row.code.status, "\(answer.body)")
        #expect(answer.fields["content-type"] == "application/problem+json")
        let body = try JSONReader.parse(text: answer.body)
        #expect(body["code"]?.string == row.code.rawValue)
        #expect(body["status"]?.integer == Int64(row.code.status))
        #expect(body["title"]?.string == row.code.title.description)
        #expect(body["request_id"]?.string == answer.fields["reveille-request-id"])
    }

    @Test("has a row that produces it, or a reason why no request does")
    func complete() {
        let produced = Set(ProducedCode.all.map(\.code))
        let unreachable = Set(ProducedCode.unreachable.keys)
        #expect(produced.isDisjoint(with: unreachable))
        let missing = Set(ProblemCode.allCases).subtracting(produced).subtracting(unreachable)
        #expect(missing.map(\.rawValue).sorted() == [])
        #expect(ProducedCode.unreachable.values.allSatisfy { $0.count > 20 })
    }
}

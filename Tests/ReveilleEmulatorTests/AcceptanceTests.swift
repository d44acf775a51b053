import ReveilleEmulator
import Testing

@Suite("The emulated Apple takes pushes over TLS and HTTP/2")
struct AcceptanceTests {
    @Test("a right request is answered with 200 and its own id, and is on record", .timeLimit(.minutes(1)))
    func accepted() async throws {
        try await withApple { bench in
            let client = try await bench.connect()
            let reply = try await client.send(bench.push.with { $0.id = TestPush.id })
            #expect(reply == .response(.init(status: 200, body: "", apnsID: TestPush.id)))
            let seen = await bench.apple.seen()
            #expect(seen.map(\.isAccepted) == [true])
            #expect(seen.first?.body == Array(TestPush.body.utf8))
        }
    }
}

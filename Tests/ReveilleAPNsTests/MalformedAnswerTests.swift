import RawHTTP
import RawSockets
import ReveilleAPNs
import ReveilleCore
import ReveilleRuntime
import ReveilleSending
import ReveilleTesting
import Testing

@Suite("An answer that is none is never taken for acceptance", .timeLimit(.minutes(5)))
struct MalformedAnswerTests {
    private static func end(
        answeredWith answer: @escaping @Sendable (UInt32) -> [UInt8]
    ) async throws -> ReveilleCore.Outcome {
        try await withEventLoop(name: "apple") { loop in
            let server = try RawHTTP2Server(on: loop, answer: answer)
            let address = server.address
            let outcome = Probe<ReveilleCore.Outcome?>(nil)
            try await withSender({ configuration in
                configuration.tls = nil
                configuration.address = address
            }) { world in
                await world.send([TestTry(1)])
                let end = try await world.end(of: 1).outcome
                outcome.update { $0 = end }
            }
            await server.stop()
            return try #require(outcome.value)
        }
    }

    @Test("a malformed response: the try is repeated under the same id", arguments: MalformedAnswer.all)
    func malformed(answer: MalformedAnswer) async throws {
        let end = try await Self.end { answer.bytes(on: $0) }
        #expect(end == .unknown(reason: ProviderReason(stored: "StreamReset")))
    }

    @Test("a 200 whose stream is reset before its end")
    func resetAfterStatus() async throws {
        let end = try await Self.end { stream in
            RawHTTP2.headers(stream, [(":status", "200")], endsStream: false) + RawHTTP2.reset(stream, 2).bytes
        }
        #expect(end == .unknown(reason: ProviderReason(stored: "StreamReset")))
    }

    @Test("a 200 is acceptance, with and without a body")
    func accepted() async throws {
        #expect(try await Self.end { RawHTTP2Server.accepted($0) } == .accepted)
        let withBody = try await Self.end { stream in
            RawHTTP2.headers(stream, [(":status", "200"), ("content-length", "2")], endsStream: false)
                + RawHTTP2.data(stream, Array("{}".utf8), endsStream: true).bytes
        }
        #expect(withBody == .accepted)
    }
}

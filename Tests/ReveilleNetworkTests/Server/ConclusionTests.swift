import RawSockets
import ReveilleHTTP2
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTesting
import Testing

/// A protocol that gives every byte back and says what happened to it.
private final class EchoProtocol: UpgradedProtocol {
    private let events: Probe<[String]>
    init(_ events: Probe<[String]>) { self.events = events }

    func connectionDidBegin(_ connection: UpgradedConnection) { connection.send(Array("begun ".utf8)) }

    func connection(_ connection: UpgradedConnection, didReceive bytes: UnsafeRawBufferPointer) {
        connection.send(Array(bytes))
    }

    func connectionDidDrainInput(_ connection: UpgradedConnection) { events.append("input") }
    func connectionDidDrainOutput(_ connection: UpgradedConnection) {}
    func connectionDidReachEnd(_ connection: UpgradedConnection) {
        events.append("end")
        connection.close()
    }

    func connectionShouldEnd(_ connection: UpgradedConnection) {
        events.append("drain")
        connection.send(Array("bye".utf8))
        connection.close()
    }

    func connectionDidClose(_ connection: UpgradedConnection) { events.append("closed") }
}

@Suite("Ends of exchanges that handlers wish", .timeLimit(.minutes(1)))
struct ConclusionTests {
    private static let wish = "Connection: keep-alive, Upgrade\r\nUpgrade: Echo\r\n"

    private static func upgrading(_ events: Probe<[String]>) -> ScriptedHandler {
        ScriptedHandler { _ in
            var response = HTTPResponse(status: 101, fields: ["x-answer": "yes", "connection": "close"])
            response.conclusion = .upgrade(to: "echo") { _ in EchoProtocol(events) }
            return response
        }
    }

    private static func ending(_ conclusion: HTTPConclusion) -> ScriptedHandler {
        ScriptedHandler { _ in
            var response = HTTPResponse(status: 200)
            response.conclusion = conclusion
            return response
        }
    }

    @Test("another protocol has the connection from the first byte behind the request")
    func upgrade() async throws {
        let events = Probe<[String]>([])
        try await withServer(handler: Self.upgrading(events)) { world in
            let client = try await world.client(sending: get("/", Self.wish) + "early ")
            try await client.heard.wait { String(decoding: $0.bytes, as: UTF8.self).hasSuffix("begun early ") }
            await client.send(Array("late".utf8))
            try await client.heard.wait { String(decoding: $0.bytes, as: UTF8.self).hasSuffix("begun early late") }
            await client.finishWriting()
            let text = String(decoding: try await client.everything(), as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 101 Switching Protocols\r\n"))
            #expect(text.contains("\r\nUpgrade: echo\r\n"))
            #expect(text.contains("\r\nx-answer: yes\r\n"))
            #expect(text.contains("\r\nConnection: Upgrade\r\n"))
            #expect(!text.contains("close"))
            try await events.wait { $0.last == "closed" }
            #expect(events.value.contains("end"))
        }
    }

    @Test("a draining server lets the protocol say goodbye")
    func drain() async throws {
        let events = Probe<[String]>([])
        try await withServer(handler: Self.upgrading(events)) { world in
            let client = try await world.client(sending: get("/", Self.wish))
            try await client.heard.wait { String(decoding: $0.bytes, as: UTF8.self).hasSuffix("begun ") }
            #expect(await world.server.drain(within: .seconds(30)))
            #expect(String(decoding: try await client.everything(), as: UTF8.self).hasSuffix("begun bye"))
            #expect(events.value.contains("drain"))
        }
    }

    @Test(
        "a client that did not ask for the protocol keeps HTTP and is told so",
        arguments: ["", "Upgrade: echo\r\n", "Connection: upgrade\r\nUpgrade: other\r\n"])
    func notAsked(_ fields: String) async throws {
        let events = Probe<[String]>([])
        try await withServer(handler: Self.upgrading(events)) { world in
            let client = try await world.client(sending: get("/", fields))
            let answers = try await client.answers(1)
            #expect(answers.map(\.status) == [400])
            #expect(answers.first?.body == "upgrade_impossible")
            #expect(events.value.isEmpty)
        }
    }

    @Test("an answer that closes says so and ends the connection")
    func answerAndClose() async throws {
        try await withServer(handler: Self.ending(.answerAndClose)) { world in
            let client = try await world.client(sending: get() + get())
            let text = String(decoding: try await client.everything(), as: UTF8.self)
            #expect(text.contains("Connection: close\r\n"))
            #expect(try await client.answers(1).count == 1)
        }
    }

    @Test(
        "no answer ends a connection of HTTP/1.1 without a byte",
        arguments: [
            HTTPConclusion.dropConnection(abruptly: false), .dropConnection(abruptly: true),
            .resetStream(.refusedStream),
        ])
    func drop(_ conclusion: HTTPConclusion) async throws {
        try await withServer(handler: Self.ending(conclusion)) { world in
            let client = try await world.client(sending: get())
            try await client.heard.wait { $0.isOver }
            #expect(client.heard.value.bytes.isEmpty)
        }
    }
}

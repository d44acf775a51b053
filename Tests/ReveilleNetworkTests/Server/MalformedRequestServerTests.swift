import RawHTTP
import RawSockets
import ReveilleNetwork
import ReveilleTelemetry
import ReveilleTesting
import Testing

@Suite("The server answers malformed requests and closes")
struct MalformedRequestServerTests {
    @Test("a malformed request is answered and the connection closed", arguments: MalformedRequest.all)
    func whole(row: MalformedRequest) async throws {
        try await withServer { world in
            let client = try await world.client()
            await client.send(row.bytes)
            try await check(row, client, world)
        }
    }

    @Test("sent byte by byte it is answered in the same way", arguments: MalformedRequest.all)
    func byteByByte(row: MalformedRequest) async throws {
        try await withServer { world in
            let client = try await world.client()
            // The long rows are long only to pass a limit; their ends are what matters.
            let slow = 1000
            await client.send([UInt8](row.bytes.dropLast(slow)))
            await client.sendByteByByte([UInt8](row.bytes.suffix(slow)))
            try await check(row, client, world)
        }
    }

    private func check(
        _ row: MalformedRequest, _ client: RawClient, _ world: ServerWorld
    ) async throws {
        let answers = RawAnswer.all(in: try await client.everything())
        #expect(answers.map(\.status) == [Int](repeating: 200, count: row.served) + [row.status])
        #expect(answers.last?.body == row.code)
        #expect(answers.map(\.closes) == [Bool](repeating: false, count: row.served) + [true])
        #expect(world.handler.requests.value.count == row.served)
        #expect(world.server.counts.malformedRequests == 1)
        // Nothing of the request may be in the log.
        #expect(world.log.lines.count { $0.message.description == "malformed request" } == 1)
    }

    @Test(
        "methods that no resource has are not implemented",
        arguments: [
            "BREW / HTTP/1.1\r\nHost: a\r\n\r\n", "get / HTTP/1.1\r\nHost: a\r\n\r\n",
            "TRACE / HTTP/1.1\r\nHost: a\r\n\r\n", "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n",
            "PRI / HTTP/1.1\r\nHost: a\r\n\r\n",
            "BREW / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n",
            "BREW / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
        ])
    func notImplemented(text: String) async throws {
        try await withServer { world in
            let client = try await world.client(sending: text)
            let answers = RawAnswer.all(in: try await client.everything())
            #expect(answers.map(\.status) == [501])
            #expect(answers.first?.body == "method_not_implemented")
            #expect(world.handler.requests.value.isEmpty)
        }
    }

    @Test("an answer reaches a client that is still sending a refused body")
    func answerSurvivesBody() async throws {
        try await withServer { world in
            let client = try await world.client(
                sending: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n")
            await client.send([UInt8](repeating: 0x78, count: 2_000_000))
            let answers = RawAnswer.all(in: try await client.everything())
            #expect(answers.map(\.status) == [413])
        }
    }
}

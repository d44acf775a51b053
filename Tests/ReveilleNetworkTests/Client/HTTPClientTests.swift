import RawHTTP
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTLS
import ReveilleTesting
import Testing

@Suite("A client of one origin speaks what its server understands", .timeLimit(.minutes(5)))
struct HTTPClientTests {
    /// The resolver of tests that know addresses only.
    struct OneAddress: Resolver {
        let address: SocketAddress
        func resolve(_ host: String, port: UInt16) async throws -> [SocketAddress] { [address] }
    }

    /// A client of the server at `address` for the time of `body`.
    private static func withClient(
        _ address: SocketAddress, tls: SocketTLS? = nil, cleartext: CleartextProtocol = .http11, on loop: EventLoop,
        limits: HTTP2ConnectionLimits = .forAwaitedAnswers, _ body: (HTTPClient) async throws -> Void
    ) async throws {
        let client = HTTPClient(
            origin: HTTPOrigin(isSecure: tls != nil, host: "localhost", port: address.port), tls: tls?.client,
            cleartext: cleartext, loop: loop, resolver: OneAddress(address: address), limits: limits)
        do {
            try await body(client)
            await client.close()
        } catch {
            await client.close()
            throw error
        }
    }

    /// A server that answers each batch of octets with the next of some texts, and closes after the last when told so.
    private static func withScript(
        _ answers: [String], closes: Bool = false, _ body: (SocketWorld) async throws -> Void
    ) async throws {
        let left = Probe(answers)
        let side = AcceptedSide(reaction: { peer, event in
            guard case .received = event, let next = left.value.first else { return }
            left.update { $0.removeFirst() }
            peer.send([UInt8](next.utf8))
            if closes, left.value.isEmpty { peer.finishWriting() }
        })
        try await withSocketWorld(side) { try await body($0) }
    }

    private static func error(_ client: HTTPClient, _ request: ClientRequest = get) async -> ClientError? {
        do throws(ClientError) {
            _ = try await client.send(request)
            return nil
        } catch {
            return error
        }
    }

    private static let get = ClientRequest(method: "GET", path: "/")
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test(
        "plain HTTP is HTTP/1.1 unless the server is known to speak HTTP/2",
        arguments: [(CleartextProtocol.http11, HTTPVersion.http11), (.http2, .http2)])
    func cleartext(spoken: CleartextProtocol, version: HTTPVersion) async throws {
        try await withServer { world in
            try await Self.withClient(world.address, cleartext: spoken, on: world.clientLoop) { client in
                for number in 1...3 {
                    let answer = try await client.send(
                        ClientRequest(
                            method: "POST", path: "/a?b=\(number)", fields: [(name: "X-One", value: "two words")],
                            body: [UInt8]("body \(number)".utf8)))
                    #expect(answer.status == 200)
                    #expect(String(decoding: answer.body, as: UTF8.self) == "POST /a?b=\(number) body \(number)")
                }
            }
            let seen = world.handler.requests.value
            #expect(seen.map(\.version) == [version, version, version])
            #expect(seen.allSatisfy { $0.fields["x-one"] == "two words" })
            #expect(world.server.counts.acceptedConnections == 1)
        }
    }

    @Test(
        "over TLS the server chooses, and one that chooses nothing is spoken to in HTTP/1.1",
        arguments: [
            (["h2", "http/1.1"], HTTPVersion.http2), (["http/1.1"], .http11), (["h2"], .http2), ([], .http11),
        ])
    func negotiated(offered: [String], version: HTTPVersion) async throws {
        let tls = try SocketTLS(
            clientALPN: HTTPClient.applicationProtocols, serverALPN: offered, requiresALPN: false)
        try await withServer(tls: tls.server) { world in
            try await Self.withClient(world.address, tls: tls, on: world.clientLoop) { client in
                let answer = try await client.send(Self.get)
                #expect(String(decoding: answer.body, as: UTF8.self) == "GET / ")
            }
            #expect(world.handler.requests.value.map(\.version) == [version])
        }
    }

    @Test("over HTTP/1.1 requests go out one after another, however many wait")
    func manyAtOnce() async throws {
        try await withServer { world in
            try await Self.withClient(world.address, on: world.clientLoop) { client in
                let bodies = try await withThrowingTaskGroup(of: String.self) { group in
                    for number in 0..<20 {
                        group.addTask {
                            let answer = try await client.send(ClientRequest(method: "GET", path: "/\(number)"))
                            return String(decoding: answer.body, as: UTF8.self)
                        }
                    }
                    return try await group.reduce(into: Set<String>()) { $0.insert($1) }
                }
                #expect(bodies == Set((0..<20).map { "GET /\($0) " }))
            }
            #expect(world.server.counts.acceptedConnections == 1)
        }
    }

    @Test(
        "an answer of HTTP/1.1 is read whole, however it is framed",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\no\r\n1\r\nk\r\n0\r\n\r\n",
            "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
            "HTTP/1.1 200 OK\r\n\r\nok", "HTTP/1.0 200 OK\r\n\r\nok",
        ])
    func framings(answer: String) async throws {
        try await Self.withScript([answer], closes: true) { world in
            try await Self.withClient(world.address, on: world.clientLoop) { client in
                let response = try await client.send(Self.get)
                #expect(response.status == 200)
                #expect(String(decoding: response.body, as: UTF8.self) == "ok")
            }
        }
    }

    @Test("a connection that the server ends after an answer is opened anew for the next request")
    func reopened() async throws {
        let last = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"
        try await Self.withScript([last, Self.ok]) { world in
            try await Self.withClient(world.address, on: world.clientLoop) { client in
                async let first = client.send(Self.get)
                async let second = client.send(Self.get)
                let statuses = try await [first.status, second.status]
                #expect(statuses == [200, 200])
            }
            #expect(world.accepted.value.count == 2)
        }
    }

    @Test(
        "an answer that is none, or that ends too early, is an error and never half an answer",
        arguments: [
            ("nonsense\r\n\r\n", ClientError.Code.answerMalformed),
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n", .answerMalformed),
            ("HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\n", .answerMalformed),
            ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok", .connectionLost), ("", .connectionLost),
        ])
    func broken(answer: String, code: ClientError.Code) async throws {
        try await Self.withScript([answer], closes: true) { world in
            try await Self.withClient(world.address, on: world.clientLoop) { client in
                #expect(await Self.error(client) == ClientError(code, mayHaveLeft: true))
            }
        }
    }

    @Test("octets behind an answer are no answer to the next request")
    func surplus() async throws {
        try await Self.withScript([Self.ok + Self.ok, Self.ok]) { world in
            try await Self.withClient(world.address, on: world.clientLoop) { client in
                for _ in 0..<2 {
                    let answer = try await client.send(Self.get)
                    #expect(answer.status == 200)
                }
            }
            #expect(world.accepted.value.count == 2)
        }
    }

    @Test("a server that does not answer is given up at the deadline")
    func deadline() async throws {
        let clock = ManualClock()
        try await withSocketWorld(clock: clock) { world in
            try await Self.withClient(world.address, on: world.clientLoop) { client in
                async let error = Self.error(client)
                let server = try await world.accepted()
                try await server.record.wait { $0.receivedCount > 0 }
                await world.clientLoop.settle()
                clock.advance(by: .seconds(31))
                #expect(await error == ClientError(.timedOut, mayHaveLeft: true))
            }
        }
    }

    @Test("who closes the client ends what is under way and what waits")
    func closed() async throws {
        try await withSocketWorld { world in
            try await Self.withClient(world.address, on: world.clientLoop) { client in
                async let first = Self.error(client)
                let server = try await world.accepted()
                try await server.record.wait { $0.receivedCount > 0 }
                await client.close()
                #expect(await first == ClientError(.closed, mayHaveLeft: true))
                #expect(await Self.error(client) == ClientError(.closed, mayHaveLeft: false))
            }
        }
    }

    @Test(
        "a request whose octets would be read as something else is refused, and nothing is sent",
        arguments: [
            ClientRequest(method: "GET", path: "/", fields: [(name: "a", value: "b\r\nx-injected: 1")]),
            ClientRequest(method: "GET", path: "/", fields: [(name: "a", value: "b\ncontent-length: 0")]),
            ClientRequest(method: "GET", path: "/", fields: [(name: "a", value: "b\u{0}")]),
            ClientRequest(method: "GET", path: "/", fields: [(name: "a", value: "é")]),
            ClientRequest(method: "GET", path: "/", fields: [(name: "a", value: " b")]),
            ClientRequest(method: "GET", path: "/", fields: [(name: "a", value: "b\t")]),
            ClientRequest(method: "GET", path: "/", fields: [(name: "a b", value: "c")]),
            ClientRequest(method: "GET", path: "/", fields: [(name: "a:\r\nb", value: "c")]),
            ClientRequest(method: "GET", path: "/", fields: [(name: "", value: "c")]),
            ClientRequest(method: "GET /x HTTP/1.1\r\nA:", path: "/"), ClientRequest(method: "", path: "/"),
            ClientRequest(method: "GET", path: "/a b"), ClientRequest(method: "GET", path: "/\r\n"),
            ClientRequest(method: "GET", path: "//é"), ClientRequest(method: "GET", path: "a"),
            ClientRequest(method: "GET", path: ""),
        ], [CleartextProtocol.http11, .http2])
    func malformed(request: ClientRequest, cleartext: CleartextProtocol) async throws {
        #expect(request.fault != nil)
        try await withServer { world in
            try await Self.withClient(world.address, cleartext: cleartext, on: world.clientLoop) { client in
                #expect(await Self.error(client, request) == ClientError(.requestMalformed, mayHaveLeft: false))
            }
            // Not the connections: a client of another test may still look for who had this port before.
            let counts = world.server.counts
            #expect(counts.requests == 0 && counts.malformedRequests == 0)
        }
    }
}

import ReveilleHTTP2
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTLS
import ReveilleTesting
import Testing

@Suite("A connection that pulls speaks HTTP/1.1 where the server chose it", .timeLimit(.minutes(5)))
struct HTTP1PullTests {
    private static let noContent = "HTTP/1.1 204 No Content\r\nRetry-After: 7\r\n\r\n"

    /// Limits that take HTTP/1.1.
    private static var limits: HTTP2ConnectionLimits {
        var limits = HTTP2ConnectionLimits()
        limits.speaksHTTP1 = true
        limits.requestDeadline = .seconds(10)
        limits.http2.keptBodyBytes = 64
        limits.http2.maximumBodyBytes = 64
        return limits
    }

    /// A server that answers each batch of octets with the next of some texts; the clocks move by hand.
    private static func withScript(
        _ answers: [String], limits: HTTP2ConnectionLimits = limits, serverALPN: [String] = ["http/1.1"],
        _ body: (SocketWorld, Puller, ManualClock) async throws -> Void
    ) async throws {
        let left = Probe(answers)
        let tls = try SocketTLS(clientALPN: ["h2", "http/1.1"], serverALPN: serverALPN, requiresALPN: false)
        let side = AcceptedSide(
            tls: tls.server,
            reaction: { peer, event in
                if event == .ended { peer.close() }
                guard case .received = event, let next = left.value.first else { return }
                left.update { $0.removeFirst() }
                peer.send([UInt8](next.utf8))
            })
        let clock = ManualClock()
        try await withSocketWorld(side, clock: clock) { world in
            let puller = Puller(on: world.clientLoop)
            try await puller.open(to: world.address, tls: tls.connecting, limits: limits)
            try await body(world, puller, clock)
            await puller.abort()
            try await puller.ends.wait { _ in true }
        }
    }

    @Test(
        "one request at a time, written as HTTP/1.1, with its path as it is and the answer's fields",
        arguments: [true, false])
    func requests(choosesProtocol: Bool) async throws {
        try await Self.withScript(
            [Self.noContent, Self.noContent], serverALPN: choosesProtocol ? ["http/1.1"] : []
        ) { world, puller, _ in
            await puller.send(["/up/a%2Fb?x=%20", "/up/2"])
            let ends = try await puller.ends.wait { $0.count == 2 }
            #expect(ends == [Ended(end: .answered, status: 204, retryAfter: "7"), ends[0]])
            let heard = String(decoding: await (try world.accepted()).received, as: UTF8.self)
            let first = "POST /up/a%2Fb?x=%20 HTTP/1.1\r\nHost: push.example.org\r\nttl: 60\r\n"
            #expect(heard.hasPrefix(first + "Content-Length: 4\r\n\r\nbody"))
            #expect(heard.components(of: "POST ") == 2)
            #expect(await puller.openStreams == 0)
            #expect(world.accepted.value.count == 1)
        }
    }

    @Test("without leave to speak HTTP/1.1 there is no common protocol")
    func notAllowed() async throws {
        try await Self.withScript([Self.noContent], limits: HTTP2ConnectionLimits()) { _, puller, _ in
            let closed = try await puller.closed.wait { $0 != nil }
            #expect(closed == .noCommonProtocol)
        }
    }

    @Test("a body that goes on and on ends the connection, and the status counts")
    func endless() async throws {
        let flood = "HTTP/1.1 201 Created\r\nContent-Length: 999999999\r\n\r\n" + String(repeating: "x", count: 100)
        try await Self.withScript([flood, Self.noContent]) { _, puller, _ in
            await puller.send(["/1", "/2"])
            let closed = try await puller.closed.wait { $0 != nil }
            #expect(closed == .retired)
            #expect(puller.ends.value == [Ended(end: .answered, status: 201, retryAfter: nil)])
            #expect(await puller.unsent == 1)
        }
    }

    @Test(
        "what is no answer ends the connection, and nobody knows what became of the request",
        arguments: [
            "HTTP/1.1 20", "HTTP/2 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        ])
    func malformed(_ answer: String) async throws {
        try await Self.withScript([answer]) { world, puller, _ in
            await puller.send(["/1"])
            if answer.hasSuffix("20") { await (try world.accepted()).finishWriting() }
            let ends = try await puller.ends.wait { $0.count == 1 }
            #expect(ends[0].end != .answered && ends[0].status == 0)
            try await puller.closed.wait { $0 != nil }
        }
    }

    @Test("headers without end are read no further than the limit")
    func headers() async throws {
        let line = "X-Filler: " + String(repeating: "x", count: 1_000) + "\r\n"
        try await Self.withScript(["HTTP/1.1 200 OK\r\n" + String(repeating: line, count: 17)]) { _, puller, _ in
            await puller.send(["/1"])
            let ends = try await puller.ends.wait { $0.count == 1 }
            #expect(ends[0].end == .reset(.protocolError))
            let closed = try await puller.closed.wait { $0 != nil }
            #expect(closed == .protocolViolation(.protocolViolation))
        }
    }

    @Test("two answers to one request are not taken for the answer to the next")
    func tooMany() async throws {
        try await Self.withScript([Self.noContent + Self.noContent]) { _, puller, _ in
            await puller.send(["/1", "/2"])
            let closed = try await puller.closed.wait { $0 != nil }
            #expect(closed == .protocolViolation(.protocolViolation))
            #expect(puller.ends.value.map(\.end) == [.answered])
        }
    }

    @Test("a server that stalls is left after the request's deadline")
    func stalled() async throws {
        try await Self.withScript(["HTTP/1.1 200 OK\r\nX-A: "]) { world, puller, clock in
            await puller.send(["/1"])
            try await (try world.accepted()).record.wait { $0.receivedCount > 0 }
            clock.advance(by: .seconds(9))
            await world.clientLoop.settle()
            #expect(puller.ends.value.isEmpty)
            clock.advance(by: .seconds(1))
            let ends = try await puller.ends.wait { $0.count == 1 }
            #expect(ends[0].end == .cancelled)
            try await puller.closed.wait { $0 != nil }
        }
    }

    @Test("a server that says close is left after its answer, and one that closes while idle has left")
    func closing() async throws {
        let closing = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        try await Self.withScript([closing]) { _, puller, _ in
            await puller.send(["/1", "/2"])
            let ends = try await puller.ends.wait { $0.count == 1 }
            #expect(ends[0].status == 200)
            let closed = try await puller.closed.wait { $0 != nil }
            #expect(closed == .serverLeft)
            #expect(await puller.unsent == 1)
        }
        try await Self.withScript([Self.noContent]) { world, puller, _ in
            await puller.send(["/1"])
            try await puller.ends.wait { $0.count == 1 }
            await (try world.accepted()).close()
            let closed = try await puller.closed.wait { $0 != nil }
            #expect(closed == .serverLeft)
        }
    }

    @Test("retired while busy it waits for the answer, and takes no more")
    func retired() async throws {
        try await Self.withScript([]) { world, puller, _ in
            await puller.send(["/1", "/2"])
            let server = try await world.accepted()
            try await server.record.wait { $0.receivedCount > 0 }
            await puller.retire()
            #expect(await puller.state == .draining)
            await server.send([UInt8](Self.noContent.utf8))
            let ends = try await puller.ends.wait { $0.count == 1 }
            #expect(ends[0].status == 204)
            let closed = try await puller.closed.wait { $0 != nil }
            #expect(closed == .retired)
        }
    }

    @Test("a connection that the kernel makes to another address than it was told is broken off")
    func elsewhere() async throws {
        try await withSocketWorld { world in
            for (isExact, address) in [(true, "0.0.0.0"), (false, "0.0.0.0"), (true, "127.0.0.1")] {
                let puller = Puller(on: world.clientLoop)
                var limits = HTTP2ConnectionLimits()
                limits.requiresExactPeer = isExact
                let target = try #require(SocketAddress(host: address, port: world.address.port))
                try await puller.open(to: target, tls: nil, limits: limits)
                if isExact, address == "0.0.0.0" {
                    let closed = try await puller.closed.wait { $0 != nil }
                    #expect(closed == .notOpened(.connectFailed(.elsewhere)))
                } else {
                    try await puller.isOpen.wait { $0 }
                    #expect(await puller.peer == target)
                    await puller.abort()
                    try await puller.closed.wait { $0 != nil }
                }
            }
        }
    }
}

/// How a request ended.
private struct Ended: Equatable, Sendable {
    let end: HTTP2StreamEnd
    let status: Int
    let retryAfter: String?
}

/// A source of requests that differ in their paths, and its connection.
private actor Puller: HTTP2RequestSource {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    nonisolated let ends = Probe<[Ended]>([])
    nonisolated let closed = Probe<ConnectionEnd?>(nil)
    nonisolated let isOpen = Probe(false)
    private var connection: HTTP2ClientConnection?
    private var waiting: [String] = []
    // Freed when nothing else refers to the actor.
    nonisolated(unsafe) private let octets = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 256)

    init(on loop: EventLoop) { self.loop = loop }

    deinit { octets.deallocate() }

    func open(
        to address: SocketAddress, tls: (context: TLSContext, serverName: String)?, limits: HTTP2ConnectionLimits
    ) throws {
        let connection = try HTTP2ClientConnection(
            loop: loop, limits: limits, watchedFields: ["x-other", "retry-after"], source: self)
        self.connection = connection
        connection.open(to: [address], tls: tls)
    }

    func send(_ paths: [String]) {
        waiting += paths
        connection?.pull()
    }

    var unsent: Int { waiting.count }
    var openStreams: Int { connection?.openStreams ?? 0 }
    var state: HTTP2ClientConnection.State? { connection?.state }
    var peer: SocketAddress? { connection?.peer }
    func retire() { connection?.retire() }
    func abort() { connection?.abort() }

    private func fill(_ stream: HTTP2ClientStream) -> Bool {
        guard !waiting.isEmpty, let start = octets.baseAddress else { return false }
        let parts = ["push.example.org", waiting.removeFirst(), "60", "body"]
        _ = octets.update(fromContentsOf: parts.flatMap { Array($0.utf8) })
        let starts = parts.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.utf8.count) }
        stream.add(":method", "POST")
        stream.add(":scheme", "https")
        stream.add(":authority", start, count: starts[1], .indexed)
        stream.add(":path", start + starts[1], count: starts[2] - starts[1], .neverIndexed)
        stream.add("ttl", start + starts[2], count: starts[3] - starts[2], .indexed)
        stream.setBody(UnsafeRawBufferPointer(start: start + starts[3], count: starts[4] - starts[3]))
        return true
    }

    nonisolated func connectionWillPull(_ connection: HTTP2ClientConnection) {}

    nonisolated func connection(_ connection: HTTP2ClientConnection, fill stream: HTTP2ClientStream) -> Bool {
        nonisolated(unsafe) let stream = stream
        return assumeIsolated { $0.fill(stream) }
    }

    nonisolated func connection(_ connection: HTTP2ClientConnection, didEnd stream: HTTP2ClientStream) {
        let retryAfter = stream.withWatchedField(1) { $0.map { String(decoding: $0, as: UTF8.self) } }
        ends.append(Ended(end: stream.end, status: stream.status, retryAfter: retryAfter))
    }

    nonisolated func connectionDidChange(_ connection: HTTP2ClientConnection) {
        if connection.state == .open { isOpen.update { $0 = true } }
    }

    nonisolated func connection(_ connection: HTTP2ClientConnection, didClose end: ConnectionEnd) {
        closed.update { $0 = end }
    }
}

extension String {
    /// How often a text stands in this one.
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}

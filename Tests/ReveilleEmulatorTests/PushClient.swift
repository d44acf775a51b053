import ReveilleBytes
import ReveilleHTTP2
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTLS

/// What a sender gets for one request.
enum Reply: Sendable, Equatable {
    case response(Response)
    case ended(HTTP2StreamEnd)

    struct Response: Sendable, Equatable {
        var status: Int
        var body: String
        var apnsID: String?
        var uniqueID: String?
        var retryAfter: String?
    }

    var response: Response? {
        switch self {
        case .response(let response): response
        case .ended: nil
        }
    }

    var status: Int? { response?.status }
    var body: String? { response?.body }

    /// The answer without its ids.
    static func answer(_ status: Int, _ body: String = "") -> Reply {
        .response(Response(status: status, body: body))
    }

    var withoutIDs: Reply {
        switch self {
        case .response(var response):
            response.apnsID = nil
            response.uniqueID = nil
            return .response(response)
        case .ended: return self
        }
    }
}

/// A sender of pushes over one real TLS connection, as plain as can be.
actor PushClient {
    nonisolated let loop: EventLoop
    /// Comes with the end of the connection.
    nonisolated let closed = OneShot<SocketCloseReason>()
    private let connection: ClientConnection

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Begins to connect.
    init(
        to address: SocketAddress, trusting authorityPEM: String, alpn: [String] = ["h2"],
        closesAtEnd: Bool = true, on loop: EventLoop
    ) async throws {
        self.loop = loop
        let context = try TLSContext(
            client: TLSClientConfiguration(
                alpn: alpn, requiresApplicationProtocol: false, extraAuthorityPEM: authorityPEM,
                trustsSystemRoots: false))
        connection = try ClientConnection(closesAtEnd: closesAtEnd, closed: closed)
        begin(address, context)
    }

    private func begin(_ address: SocketAddress, _ context: TLSContext) {
        connection.begin(address, context, on: loop)
    }

    /// Sends a request as soon as a stream is free and waits for what becomes of it.
    func send(_ push: TestPush) async throws -> Reply {
        let reply = start(push)
        return try await reply.wait()
    }

    /// Sends a request as soon as a stream is free.
    func start(_ push: TestPush) -> OneShot<Reply> {
        connection.enqueue(push)
    }

    /// Gives up the oldest open request.
    func cancelOldest() {
        connection.cancelOldest()
    }

    /// Sends a PING; its return fulfils the result.
    func ping() throws -> OneShot<Void> {
        try connection.ping()
    }

    /// Waits until the server's stream limit is this one.
    func waitForStreamLimit(_ limit: Int) async throws {
        try await connection.signal { $0.engine.hasPeerSettings && $0.engine.peerStreamLimit == limit }
            .wait()
    }

    /// Waits for the server's GOAWAY.
    func waitForGoAway() async throws -> HTTP2GoAway? {
        try await connection.signal { $0.engine.goAway != nil }.wait()
        return connection.engine.goAway
    }

    /// Waits until the server's direction has ended.
    func waitForEnd() async throws {
        try await connection.signal { $0.hasReachedEnd }.wait()
    }

    var streamLimit: Int { connection.engine.peerStreamLimit }

    /// Ends the connection.
    func close() {
        connection.socket?.abort()
    }
}

/// The connection below: confined to the client's loop.
final class ClientConnection: StreamSocketDelegate {
    let engine: HTTP2ClientEngine
    private(set) var socket: StreamSocket?
    private(set) var hasReachedEnd = false
    private let closesAtEnd: Bool
    private let closed: OneShot<SocketCloseReason>
    private var queue: [(push: TestPush, reply: OneShot<Reply>)] = []
    private var open: [Int: (reply: OneShot<Reply>, texts: [UnsafeMutablePointer<UInt8>])] = [:]
    private var order: [Int] = []
    private var waiters: [(condition: (ClientConnection) -> Bool, signal: OneShot<Void>)] = []
    private var pings: [UInt64: OneShot<Void>] = [:]
    private var nextPing: UInt64 = 1

    init(closesAtEnd: Bool, closed: OneShot<SocketCloseReason>) throws {
        self.closesAtEnd = closesAtEnd
        self.closed = closed
        engine = try HTTP2ClientEngine(
            watchedFields: ["apns-id", "apns-unique-id", "retry-after"])
    }

    func begin(_ address: SocketAddress, _ context: TLSContext, on loop: EventLoop) {
        socket = .connect(
            to: address, tls: (context, "localhost"), on: loop, timeout: .seconds(20),
            delegate: self)
    }

    func enqueue(_ push: TestPush) -> OneShot<Reply> {
        let reply = OneShot<Reply>()
        queue.append((push, reply))
        pump()
        return reply
    }

    func cancelOldest() {
        guard let index = order.first else { return }
        engine.cancel(engine.stream(inRoom: index))
        pump()
    }

    func ping() throws -> OneShot<Void> {
        let returned = OneShot<Void>()
        try engine.ping(nextPing)
        pings[nextPing] = returned
        nextPing += 1
        pump()
        return returned
    }

    func signal(when condition: @escaping (ClientConnection) -> Bool) -> OneShot<Void> {
        let signal = OneShot<Void>()
        waiters.append((condition, signal))
        look()
        return signal
    }

    private func look() {
        waiters.removeAll { waiter in
            guard waiter.condition(self) else { return false }
            waiter.signal.fulfil(())
            return true
        }
    }

    // MARK: Requests

    private func pump() {
        guard let socket, socket.isOpen else { return }
        while engine.hasPeerSettings, !queue.isEmpty, let stream = engine.takeStream() {
            let (push, reply) = queue.removeFirst()
            submit(push, reply, stream)
        }
        do { try engine.takeOutput(into: socket.output) } catch { socket.abort() }
        takeEnded()
        look()
    }

    private func submit(_ push: TestPush, _ reply: OneShot<Reply>, _ stream: HTTP2ClientStream) {
        var texts: [UnsafeMutablePointer<UInt8>] = []
        func keep(_ text: String) -> UnsafePointer<UInt8> {
            let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: max(text.utf8.count, 1))
            for (offset, byte) in text.utf8.enumerated() { copy[offset] = byte }
            texts.append(copy)
            return UnsafePointer(copy)
        }
        for (name, value) in push.headers {
            stream.add(
                name: keep(name), nameCount: name.utf8.count, value: keep(value),
                count: value.utf8.count, .neverIndexed)
        }
        if !push.body.isEmpty {
            stream.setBody(
                UnsafeRawBufferPointer(start: keep(push.body), count: push.body.utf8.count))
        }
        open[stream.index] = (reply, texts)
        order.append(stream.index)
        engine.submit(stream)
    }

    private func takeEnded() {
        while let stream = engine.takeEndedStream() {
            order.removeAll { $0 == stream.index }
            if let (reply, texts) = open.removeValue(forKey: stream.index) {
                reply.fulfil(Self.reply(stream))
                for text in texts { text.deallocate() }
            }
            engine.giveBack(stream)
        }
    }

    private static func reply(_ stream: HTTP2ClientStream) -> Reply {
        guard stream.end == .answered else { return .ended(stream.end) }
        func watched(_ position: Int) -> String? {
            stream.withWatchedField(position) { $0.map { String(decoding: $0, as: UTF8.self) } }
        }
        return .response(
            Reply.Response(
                status: stream.status,
                body: stream.withBody { String(decoding: $0, as: UTF8.self) },
                apnsID: watched(0), uniqueID: watched(1), retryAfter: watched(2)))
    }

    // MARK: Socket

    func socketDidOpen(_ socket: StreamSocket) {
        pump()
    }

    func socket(_ socket: StreamSocket, didReceive bytes: UnsafeRawBufferPointer) {
        do { try engine.receive(bytes) } catch { socket.abort() }
    }

    func socketDidDrainInput(_ socket: StreamSocket) {
        if engine.takeNotices().contains(.pingReturned), let payload = engine.lastPingReturned {
            pings.removeValue(forKey: payload)?.fulfil(())
        }
        pump()
        if engine.isFinished, engine.goAway != nil { socket.close() }
    }

    func socketDidDrainOutput(_ socket: StreamSocket) {
        if engine.wantsOutput { pump() }
    }

    func socketDidReachEnd(_ socket: StreamSocket) {
        hasReachedEnd = true
        look()
        if closesAtEnd { socket.close() }
    }

    func socket(_ socket: StreamSocket, didClose reason: SocketCloseReason) {
        engine.connectionDidEnd()
        takeEnded()
        for (_, reply) in queue { reply.fulfil(.ended(.unprocessed)) }
        queue.removeAll()
        hasReachedEnd = true
        self.socket = nil
        look()
        closed.fulfil(reason)
    }
}

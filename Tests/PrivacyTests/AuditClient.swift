import ReveilleBytes
import ReveilleJSON
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTesting

/// An answer of the API, octet by octet.
struct Reply: Sendable {
    let octets: [UInt8]

    /// The status; 0 when there is no answer.
    var status: Int {
        let words = String(decoding: octets.prefix(16), as: UTF8.self).split(separator: " ")
        return words.count > 1 ? Int(words[1]) ?? 0 : 0
    }

    /// The body as JSON; null when it is none.
    var json: JSONValue {
        let end: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A]
        guard let head = octets.firstRange(of: end) else { return .null }
        return (try? JSONReader.parse(Array(octets[head.upperBound...]))) ?? .null
    }

    /// Everything as text.
    var text: String { String(decoding: octets, as: UTF8.self) }
}

/// Sends the octets of one request over a connection of its own, and reads until the server ends it.
actor AuditClient: StreamSocketDelegate {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private nonisolated let heard = Probe<(octets: [UInt8], isOver: Bool)>(([], false))
    private var socket: StreamSocket?

    init(on loop: EventLoop) { self.loop = loop }

    /// Sends, and waits for everything that comes back: until the server ends the connection, or `isComplete` says so.
    func exchange(
        _ octets: [UInt8], with address: SocketAddress, until isComplete: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws -> Reply {
        let socket = StreamSocket.connect(to: address, tls: nil, on: loop, timeout: .seconds(10), delegate: self)
        self.socket = socket
        socket.output.append(octets)
        let all = try await heard.wait { $0.isOver || isComplete($0.octets) }.octets
        self.socket?.close()
        return Reply(octets: all)
    }

    nonisolated func socketDidOpen(_ socket: StreamSocket) {}

    nonisolated func socket(_ socket: StreamSocket, didReceive bytes: UnsafeRawBufferPointer) {
        let copy = [UInt8](bytes)
        heard.update { $0.octets += copy }
    }

    nonisolated func socketDidDrainInput(_ socket: StreamSocket) {}
    nonisolated func socketDidDrainOutput(_ socket: StreamSocket) {}
    nonisolated func socketDidReachEnd(_ socket: StreamSocket) { heard.update { $0.isOver = true } }
    nonisolated func socket(_ socket: StreamSocket, didClose reason: SocketCloseReason) {
        heard.update { $0.isOver = true }
    }
}

/// A request of the road.
struct AuditRequest: Sendable {
    var method: String
    var target: String
    var token: String?
    var headers: [(String, String)] = []
    var body: [UInt8]?

    init(
        _ method: String, _ target: String, token: String? = nil, headers: [(String, String)] = [],
        json: JSONValue? = nil
    ) {
        self.method = method
        self.target = target
        self.token = token
        self.headers = headers
        body = json?.encoded()
    }

    /// The octets of HTTP/1.1, with a connection that ends after the answer.
    func octets(host: String) -> [UInt8] {
        var head = "\(method) \(target) HTTP/1.1\r\nhost: \(host)\r\nconnection: close\r\n"
        if let token { head += "authorization: Bearer \(token)\r\n" }
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if let body {
            if !headers.contains(where: { $0.0 == "content-type" }) { head += "content-type: application/json\r\n" }
            head += "content-length: \(body.count)\r\n"
        }
        return Array((head + "\r\n").utf8) + (body ?? [])
    }
}

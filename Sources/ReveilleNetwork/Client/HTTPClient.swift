internal import ReveilleHTTP2
package import ReveilleRuntime
package import ReveilleTLS

/// Where a client sends its requests.
package struct HTTPOrigin: Hashable, Sendable {
    /// True for `https`.
    package let isSecure: Bool
    package let host: String
    package let port: UInt16

    /// Names an origin.
    package init(isSecure: Bool, host: String, port: UInt16) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
    }

    /// Reads `http://host[:port]` or `https://host[:port]`, nothing behind but an optional slash; IPv6 in brackets.
    package init?(parsing text: String) {
        let isSecure = text.hasPrefix("https://")
        guard isSecure || text.hasPrefix("http://") else { return nil }
        var rest = text.dropFirst(isSecure ? 8 : 7)
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        var host = rest
        var port: UInt16 = isSecure ? 443 : 80
        if let colon = rest.lastIndex(of: ":"), !rest[colon...].contains("]") {
            guard let number = UInt16(rest[rest.index(after: colon)...]), number > 0 else { return nil }
            host = rest[..<colon]
            port = number
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        let allowed = host.utf8.allSatisfy { octet in
            switch octet {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: ":"):
                true
            default: false
            }
        }
        guard !host.isEmpty, host.utf8.count <= 253, allowed else { return nil }
        self.init(isSecure: isSecure, host: String(host), port: port)
    }

    /// The value of `:authority`.
    package var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    var scheme: String { isSecure ? "https" : "http" }
}

/// What a client speaks to an `http` origin, where nothing is negotiated.
package enum CleartextProtocol: Sendable {
    /// What everybody understands.
    case http11
    /// HTTP/2 at once, to a server that is known to speak it (RFC 9113 section 3.3).
    case http2
}

/// A client of one origin over one connection, opened when needed and opened again when it was lost.
///
/// For requests whose answer somebody awaits; the senders of wakes pull instead. Over TLS the server chooses between the
/// protocols that the context offers; one that chooses none is spoken to in HTTP/1.1. Nothing is repeated here: only the
/// caller knows whether it may be.
package actor HTTPClient {
    /// Requests that may wait for a stream; further ones are refused.
    package static let maximumWaiting = 4_096

    package nonisolated let origin: HTTPOrigin
    private nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let link: ClientLink

    /// The protocols to offer in TLS, in this client's order of preference.
    package static let applicationProtocols = [HTTP2ClientConnection.protocolName, HTTP1ClientConnection.protocolName]

    /// A client that connects at its first request.
    ///
    /// - Parameters:
    ///   - tls: Needed for an `https` origin; offers ``applicationProtocols`` or some of them.
    ///   - cleartext: What to speak to an `http` origin.
    package init(
        origin: HTTPOrigin, tls: TLSContext? = nil, cleartext: CleartextProtocol = .http11, loop: EventLoop,
        resolver: any Resolver,
        limits: HTTP2ConnectionLimits = .forAwaitedAnswers
    ) {
        precondition(!origin.isSecure || tls != nil, "an https origin needs a TLS context")
        self.origin = origin
        self.loop = loop
        link = ClientLink(
            origin: origin, tls: origin.isSecure ? tls : nil, cleartext: cleartext, loop: loop, resolver: resolver,
            limits: limits)
    }

    /// Sends a request and waits for its answer.
    ///
    /// - Throws: `client_request_malformed` when the request must not be sent as it is; otherwise why no answer came.
    package func send(_ request: ClientRequest) async throws(ClientError) -> ClientResponse {
        guard request.fault == nil else { throw ClientError(.requestMalformed, mayHaveLeft: false) }
        let result: Result<ClientResponse, ClientError> = await withCheckedContinuation { continuation in
            link.submit(
                ClientExchange(request, scheme: origin.scheme, authority: origin.authority) {
                    continuation.resume(returning: $0)
                })
        }
        return try result.get()
    }

    /// Ends the connection and every request that waits.
    package func close() {
        link.close()
    }
}

extension HTTP2ConnectionLimits {
    /// The limits of a client that reads whole answers: up to 4 MiB of body, thirty seconds.
    package static var forAwaitedAnswers: HTTP2ConnectionLimits {
        var limits = HTTP2ConnectionLimits()
        limits.requestDeadline = .seconds(30)
        limits.http2.maximumStreams = 64
        limits.http2.keptBodyBytes = 4 << 20
        limits.http2.maximumBodyBytes = 4 << 20
        limits.http2.streamWindowBytes = 5 << 20
        return limits
    }
}

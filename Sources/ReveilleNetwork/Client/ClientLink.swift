internal import ReveilleHTTP2
internal import ReveilleRuntime
internal import ReveilleTLS

/// The connection of an ``HTTPClient`` and the requests that wait for it.
///
/// Confined to the client's loop.
final class ClientLink {
    private enum State {
        case idle
        case lookingUp(NameLookup)
        case dialing(SocketDialer)
        case http1(HTTP1ClientConnection)
        case http2(HTTP2ClientConnection)
        case closed
    }

    private let origin: HTTPOrigin
    private let tls: TLSContext?
    private let cleartext: CleartextProtocol
    private let loop: EventLoop
    private let resolver: any Resolver
    private let limits: HTTP2ConnectionLimits
    private var state = State.idle
    private var waiting: [ClientExchange] = []
    private var underWay: [Place: ClientExchange] = [:]
    /// Connections that the server left and that still owe answers.
    private var leaving: [HTTP2ClientConnection] = []

    /// A stream's room on one of several connections.
    private struct Place: Hashable {
        let connection: ObjectIdentifier
        let room: Int

        init(_ connection: HTTP2ClientConnection, _ stream: HTTP2ClientStream) {
            self.connection = ObjectIdentifier(connection)
            room = stream.index
        }
    }

    init(
        origin: HTTPOrigin, tls: TLSContext?, cleartext: CleartextProtocol, loop: EventLoop, resolver: any Resolver,
        limits: HTTP2ConnectionLimits
    ) {
        self.origin = origin
        self.tls = tls
        self.cleartext = cleartext
        self.loop = loop
        self.resolver = resolver
        self.limits = limits
    }

    func submit(_ exchange: ClientExchange) {
        if waiting.count >= HTTPClient.maximumWaiting {
            return exchange.end(.failure(ClientError(.overloaded, mayHaveLeft: false)))
        }
        switch state {
        case .closed: exchange.end(.failure(ClientError(.closed, mayHaveLeft: false)))
        case .idle:
            waiting.append(exchange)
            lookUp()
        case .lookingUp, .dialing: waiting.append(exchange)
        case .http1(let connection):
            waiting.append(exchange)
            connection.pull()
        case .http2(let connection):
            waiting.append(exchange)
            connection.pull()
        }
    }

    func close() {
        let previous = state
        state = .closed
        switch previous {
        case .idle, .lookingUp, .closed: break
        case .dialing(let dialer): dialer.cancel()
        case .http1(let connection): connection.abort()
        case .http2(let connection): connection.abort()
        }
        for connection in leaving { connection.abort() }
        failWaiting(ClientError(.closed, mayHaveLeft: false))
    }

    private func lookUp() {
        let lookup = NameLookup(resolver: resolver, loop: loop)
        state = .lookingUp(lookup)
        lookup.start(origin.host, port: origin.port) { [weak self] result in self?.found(result) }
    }

    private func found(_ result: Result<[SocketAddress], any Error>) {
        guard case .lookingUp = state else { return }
        state = .idle
        guard case .success(let addresses) = result, !addresses.isEmpty else {
            return failWaiting(ClientError(.nameNotFound, mayHaveLeft: false))
        }
        let dialer = SocketDialer(
            to: addresses.prefix(limits.maximumAddresses), tls: tls.map { ($0, origin.host) }, on: loop,
            timeout: limits.connectTimeout
        ) { [weak self] outcome in
            switch (outcome, self) {
            case (.opened(let socket), nil): socket.abort()
            case (.opened(let socket), let link?): link.opened(socket)
            case (.failed, nil): break
            case (.failed(let reason), let link?): link.notOpened(reason)
            }
        }
        state = .dialing(dialer)
    }

    private func notOpened(_ reason: SocketCloseReason) {
        guard case .dialing = state else { return }
        state = .idle
        failWaiting(Self.error(.notOpened(reason)))
    }

    /// Speaks what both sides agreed on.
    private func opened(_ socket: StreamSocket) {
        guard case .dialing = state else { return socket.abort() }
        switch (socket.isSecure, socket.negotiatedProtocol) {
        case (true, HTTP2ClientConnection.protocolName): speakHTTP2(on: socket)
        case (true, HTTP1ClientConnection.protocolName), (true, nil): speakHTTP1(on: socket)
        case (true, _):
            state = .idle
            socket.abort()
            failWaiting(ClientError(.noCommonProtocol, mayHaveLeft: false))
        case (false, _):
            switch cleartext {
            case .http11: speakHTTP1(on: socket)
            case .http2: speakHTTP2(on: socket)
            }
        }
    }

    private func speakHTTP1(on socket: StreamSocket) {
        let connection = HTTP1ClientConnection(socket: socket, limits: limits, source: self)
        state = .http1(connection)
        connection.pull()
    }

    private func speakHTTP2(on socket: StreamSocket) {
        do {
            let connection = try HTTP2ClientConnection(loop: loop, limits: limits, source: self)
            state = .http2(connection)
            connection.open(on: socket)
        } catch {
            state = .idle
            socket.abort()
            failWaiting(ClientError(.notConnected, mayHaveLeft: false))
        }
    }

    private func failWaiting(_ error: ClientError) {
        let exchanges = waiting
        waiting = []
        for exchange in exchanges { exchange.end(.failure(error)) }
    }

    private static func error(_ end: ConnectionEnd) -> ClientError {
        switch end {
        case .retired: ClientError(.closed, mayHaveLeft: false)
        case .serverLeft, .lost, .silent, .protocolViolation: ClientError(.connectionLost, mayHaveLeft: false)
        case .noCommonProtocol: ClientError(.noCommonProtocol, mayHaveLeft: false)
        case .notOpened(.tlsFailed): ClientError(.tlsFailed, mayHaveLeft: false)
        case .notOpened: ClientError(.notConnected, mayHaveLeft: false)
        }
    }
}

extension ClientLink: HTTP1RequestSource {
    func nextExchange() -> ClientExchange? {
        waiting.isEmpty ? nil : waiting.removeFirst()
    }

    func connectionDidEnd(_ connection: HTTP1ClientConnection) {
        guard case .http1(let present) = state, present === connection else { return }
        state = .idle
        // What waits was not touched by this connection's trouble; each further connection takes one of them at least.
        if !waiting.isEmpty { lookUp() }
    }
}

extension ClientLink: HTTP2RequestSource {
    func connectionWillPull(_ connection: HTTP2ClientConnection) {}

    func connection(_ connection: HTTP2ClientConnection, fill stream: HTTP2ClientStream) -> Bool {
        guard let exchange = nextExchange() else { return false }
        exchange.fill(stream)
        underWay[Place(connection, stream)] = exchange
        return true
    }

    func connection(_ connection: HTTP2ClientConnection, didEnd stream: HTTP2ClientStream) {
        guard let exchange = underWay.removeValue(forKey: Place(connection, stream)) else { return }
        exchange.end(result(of: stream))
    }

    private func result(of stream: HTTP2ClientStream) -> Result<ClientResponse, ClientError> {
        switch stream.end {
        case .answered:
            return .success(ClientResponse(status: stream.status, body: stream.withBody { Array($0) }))
        case .unprocessed: return .failure(ClientError(.connectionLost, mayHaveLeft: false))
        case .reset: return .failure(ClientError(.reset, mayHaveLeft: true))
        case .cancelled: return .failure(ClientError(.timedOut, mayHaveLeft: true))
        case .connectionLost:
            return .failure(ClientError(.connectionLost, mayHaveLeft: stream.progress == .completely))
        }
    }

    func connectionDidChange(_ connection: HTTP2ClientConnection) {
        switch connection.state {
        case .draining:
            // What waits goes to a new connection; what is under way ends on this one.
            if case .http2(let present) = state, present === connection {
                leaving.append(connection)
                state = .idle
                if !waiting.isEmpty { lookUp() }
            }
        case .connecting, .open, .closed: break
        }
    }

    func connection(_ connection: HTTP2ClientConnection, didClose end: ConnectionEnd) {
        leaving.removeAll { $0 === connection }
        guard case .http2(let present) = state, present === connection else { return }
        state = .idle
        switch end {
        case .serverLeft where !waiting.isEmpty: lookUp()
        case .retired, .serverLeft, .notOpened, .noCommonProtocol, .lost, .silent, .protocolViolation:
            failWaiting(Self.error(end))
        }
    }
}

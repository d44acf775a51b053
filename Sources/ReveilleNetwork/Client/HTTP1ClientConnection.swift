internal import ReveilleBytes
internal import ReveilleHTTP1
internal import ReveilleHTTP2
internal import ReveilleRuntime

/// Where a connection of HTTP/1.1 takes its requests from, and whom it tells of its end.
///
/// Called on the connection's loop only.
protocol HTTP1RequestSource: AnyObject {
    /// The next request, nil when none waits.
    func nextExchange() -> ClientExchange?
    /// The connection takes no more requests; the last call, made once.
    func connectionDidEnd(_ connection: HTTP1ClientConnection)
}

/// One HTTP/1.1 connection of a client: one request at a time, the next one when the answer is whole.
///
/// Whatever leaves doubt about where an answer ends closes the connection. Belongs to one loop.
final class HTTP1ClientConnection {
    /// The protocol's name in TLS (RFC 7301 section 6).
    static let protocolName = "http/1.1"

    private enum State {
        case idle
        case awaiting(ClientExchange)
        case ended
    }

    private let socket: StreamSocket
    private let limits: HTTP2ConnectionLimits
    private var source: (any HTTP1RequestSource)?
    private var state = State.idle
    private var reader: HTTP1ResponseReader
    private let input = ByteQueue()
    private var head: HTTP1ResponseHead?
    private var body: [UInt8] = []
    private var deadline: LoopTimer?

    /// Takes over an open socket; call ``pull()`` next.
    init(socket: StreamSocket, limits: HTTP2ConnectionLimits, source: any HTTP1RequestSource) {
        self.socket = socket
        self.limits = limits
        self.source = source
        reader = HTTP1ResponseReader(limits: HTTP1Limits(maximumBodyBytes: limits.http2.maximumBodyBytes))
        deadline = socket.loop.makeTimer { [weak self] in self?.timeOut() }
        socket.delegate = self
    }

    /// Sends the next request when none is under way.
    func pull() {
        guard case .idle = state, let exchange = source?.nextExchange() else { return }
        state = .awaiting(exchange)
        reader.expectResponse(toHead: exchange.isHead)
        exchange.write(to: socket.output)
        deadline?.start(at: socket.loop.now() + limits.requestDeadline)
    }

    /// Closes at once; a request under way ends as lost.
    func abort() {
        end(.closed)
    }

    private func timeOut() {
        end(.timedOut)
    }

    // MARK: Reading

    private func advance() {
        while true {
            switch state {
            case .idle where input.isEmpty, .ended: return
            case .idle, .awaiting: break
            }
            do throws(HTTP1Error) {
                guard try readStep() else { return }
            } catch {
                return end(.answerMalformed)
            }
        }
    }

    /// Takes one step of the answer; false when more has to come.
    private func readStep() throws(HTTP1Error) -> Bool {
        let (step, consumed) = try input.withReadableBytes {
            bytes throws(HTTP1Error) -> (HTTP1ResponseStep, Int) in
            let result = try reader.next(bytes)
            if case .body(let range) = result.step { keep(UnsafeRawBufferPointer(rebasing: bytes[range])) }
            return result
        }
        input.consume(consumed)
        switch step {
        case .needsMoreBytes: return false
        case .interim, .body: return true
        case .head(let head):
            self.head = head
            return true
        case .end:
            finishAnswer()
            return true
        }
    }

    private func keep(_ piece: UnsafeRawBufferPointer) {
        body.append(contentsOf: piece.prefix(max(0, limits.http2.keptBodyBytes - body.count)))
    }

    private func finishAnswer() {
        guard case .awaiting(let exchange) = state, let head else { return }
        deadline?.cancel()
        let response = ClientResponse(status: head.status, body: body)
        self.head = nil
        body = []
        state = .idle
        exchange.end(.success(response))
        if head.isPersistent { pull() } else { leave() }
    }

    // MARK: The end

    /// Closes in order after an answer.
    private func leave() {
        guard case .idle = state else { return }
        settle(failing: nil)
        socket.close()
    }

    /// Closes at once because of trouble.
    private func end(_ code: ClientError.Code) {
        if case .ended = state { return }
        settle(failing: code)
        socket.abort()
    }

    private func settle(failing code: ClientError.Code?) {
        let previous = state
        state = .ended
        deadline?.cancel()
        deadline = nil
        if case .awaiting(let exchange) = previous, let code {
            // Its octets are with the socket: nobody knows how far they got.
            exchange.end(.failure(ClientError(code, mayHaveLeft: true)))
        }
        let source = source
        self.source = nil
        source?.connectionDidEnd(self)
    }
}

extension HTTP1ClientConnection: StreamSocketDelegate {
    func socketDidOpen(_ socket: StreamSocket) {}

    func socket(_ socket: StreamSocket, didReceive bytes: UnsafeRawBufferPointer) {
        if case .ended = state { return }
        input.append(bytes)
    }

    func socketDidDrainInput(_ socket: StreamSocket) { advance() }

    func socketDidDrainOutput(_ socket: StreamSocket) {}

    func socketDidReachEnd(_ socket: StreamSocket) {
        advance()
        guard case .awaiting = state else { return leave() }
        do throws(HTTP1Error) {
            if try reader.connectionEnded() { finishAnswer() } else { end(.connectionLost) }
        } catch {
            end(.connectionLost)
        }
    }

    func socket(_ socket: StreamSocket, didClose reason: SocketCloseReason) {
        if case .ended = state { return }
        settle(failing: .connectionLost)
    }
}

internal import ReveilleBytes
internal import ReveilleHTTP1
internal import ReveilleHTTP2
internal import ReveilleRuntime

/// What an ``HTTP2ClientConnection`` does when its server chose HTTP/1.1: it pulls one request at a time from the same source.
///
/// Of an answer the first octets of the body are read; one that goes on ends the connection, and its status counts. Whatever
/// leaves doubt about where an answer ends closes the connection. Belongs to one loop.
final class HTTP1PullSession {
    private let socket: StreamSocket
    private let limits: HTTP2ConnectionLimits
    private let watchedFields: [StaticString]
    private let stream: HTTP2ClientStream
    private let input = ByteQueue()
    private var reader: HTTP1ResponseReader
    private var deadline: LoopTimer?
    /// Both let go when the socket is closed.
    private var connection: HTTP2ClientConnection?
    private var source: (any HTTP2RequestSource)?
    private var plannedEnd: ConnectionEnd?
    /// A request is with the socket, and its end was not handed to the source.
    private var isBusy = false
    /// The source has the room in its hands.
    private var isLent = false
    private var isPersistent = true

    private(set) var state = HTTP2ClientConnection.State.open
    private(set) var answers = 0
    let opened: MonotonicInstant
    private(set) var used: MonotonicInstant

    /// Takes over an open socket that has carried nothing yet; call ``start()`` next.
    init(
        socket: StreamSocket, limits: HTTP2ConnectionLimits, watchedFields: [StaticString],
        connection: HTTP2ClientConnection, source: any HTTP2RequestSource
    ) {
        self.socket = socket
        self.limits = limits
        self.watchedFields = watchedFields
        self.connection = connection
        self.source = source
        stream = HTTP2ClientStream(keptBodyBytes: limits.http2.keptBodyBytes)
        // How much of a body is read is counted here, so that a long one still leaves its status.
        reader = HTTP1ResponseReader(
            limits: HTTP1Limits(maximumHeaderBytes: limits.http2.maximumHeaderListBytes, maximumBodyBytes: .max))
        opened = socket.loop.now()
        used = opened
        deadline = socket.loop.makeTimer { [weak self] in self?.timeOut() }
        socket.delegate = self
    }

    /// Tells the source, and takes its first request.
    func start() {
        guard let connection else { return }
        source?.connectionDidChange(connection)
        pull()
    }

    /// Requests whose end was not handed to the source yet.
    var openStreams: Int { isBusy ? 1 : 0 }

    /// Whether a request would be taken now.
    var isFree: Bool { state == .open && !isBusy }

    var peer: SocketAddress { socket.peer }

    // MARK: Requests

    func pull() {
        guard isFree, !isLent, let source, let connection, connection.streamAllowance > 0 else { return }
        isLent = true
        source.connectionWillPull(connection)
        stream.begin()
        isBusy = source.connection(connection, fill: stream)
        isLent = false
        guard isBusy else { return }
        reader.expectResponse(toHead: false)
        write()
        deadline?.start(at: socket.loop.now() + limits.requestDeadline)
    }

    func mustLeave(by deadline: MonotonicInstant) { socket.mustLeave(by: deadline) }

    private func write() {
        var (method, target, authority) = ("", "", "")
        var fields = FieldList()
        stream.forEachField { name, value in
            switch FieldText.string(name) {
            case ":method": method = FieldText.string(value)
            case ":path": target = FieldText.string(value)
            case ":authority": authority = FieldText.string(value)
            case ":scheme": break
            default: fields.append(checkedName: name, value: value)
            }
        }
        HTTP1Writer.writeRequest(
            method: method, target: target, authority: authority, fields: fields, body: Array(stream.requestBody),
            to: socket.output)
        stream.wasHandedOut()
    }

    // MARK: Answers

    private func receive(_ bytes: UnsafeRawBufferPointer) {
        guard state != .closed, plannedEnd == nil || isBusy else { return }
        input.append(bytes)
        do throws(HTTP1Error) {
            while isBusy || !input.isEmpty, try readStep() {}
        } catch {
            fail(.reset(.protocolError), .protocolViolation(.protocolViolation))
        }
    }

    /// Takes one step of the answer; false when more has to come.
    private func readStep() throws(HTTP1Error) -> Bool {
        let (step, consumed) = try input.withReadableBytes {
            bytes throws(HTTP1Error) -> (HTTP1ResponseStep, Int) in
            let result = try reader.next(bytes)
            if case .body(let range) = result.step { stream.note(body: UnsafeRawBufferPointer(rebasing: bytes[range])) }
            return result
        }
        input.consume(consumed)
        switch step {
        case .needsMoreBytes: return false
        case .interim: return true
        case .head(let head):
            note(head)
            return true
        case .body:
            guard stream.receivedBodyBytes > limits.http2.maximumBodyBytes else { return true }
            // Enough was read, and what follows is of no use.
            fail(.answered, .retired)
            return false
        case .end:
            finishAnswer()
            return true
        }
    }

    private func note(_ head: HTTP1ResponseHead) {
        isPersistent = head.isPersistent
        stream.note(status: head.status)
        for (position, name) in watchedFields.enumerated() {
            guard let value = head.fields[name.description] else { continue }
            Array(value.utf8).withUnsafeBytes { stream.note(watchedField: position, $0) }
        }
    }

    private func finishAnswer() {
        used = socket.loop.now()
        // What came too much would be taken for the answer to the next request.
        guard input.isEmpty else { return fail(.answered, .protocolViolation(.protocolViolation)) }
        deliver(.answered)
        if isPersistent {
            if state == .draining { socket.close() } else { pull() }
        } else {
            leave(.serverLeft)
        }
    }

    private func deliver(_ end: HTTP2StreamEnd) {
        guard isBusy, let connection else { return }
        deadline?.cancel()
        stream.finish(end)
        if end == .answered { answers += 1 }
        isBusy = false
        isLent = true
        source?.connection(connection, didEnd: stream)
        isLent = false
    }

    private func timeOut() {
        fail(.cancelled, .silent)
    }

    // MARK: The end

    /// Takes no more requests, and closes when the one under way has ended.
    func retire() { leave(.retired) }

    /// Closes at once; a request under way ends as lost.
    func abort() { fail(.connectionLost, .retired) }

    private func leave(_ end: ConnectionEnd) {
        guard state == .open, let connection else { return }
        plannedEnd = plannedEnd ?? end
        state = .draining
        source?.connectionDidChange(connection)
        if !isBusy { socket.close() }
    }

    private func fail(_ streamEnd: HTTP2StreamEnd, _ end: ConnectionEnd) {
        guard state != .closed else { return }
        plannedEnd = plannedEnd ?? end
        // Before the end is handed out: nothing may be pulled again.
        state = .draining
        deliver(streamEnd)
        socket.abort()
    }
}

extension HTTP1PullSession: StreamSocketDelegate {
    func socketDidOpen(_ socket: StreamSocket) {}

    func socket(_ socket: StreamSocket, didReceive bytes: UnsafeRawBufferPointer) { receive(bytes) }

    func socketDidDrainInput(_ socket: StreamSocket) {}

    func socketDidDrainOutput(_ socket: StreamSocket) {}

    func socketDidReachEnd(_ socket: StreamSocket) {
        guard isBusy else { return leave(.serverLeft) }
        do throws(HTTP1Error) {
            isPersistent = false
            if try reader.connectionEnded() { return finishAnswer() }
            fail(.connectionLost, .lost(.closedByPeer))
        } catch {
            fail(.connectionLost, .lost(.closedByPeer))
        }
    }

    func socket(_ socket: StreamSocket, didClose reason: SocketCloseReason) {
        guard state != .closed, let connection else { return }
        state = .draining
        deliver(.connectionLost)
        state = .closed
        deadline = nil
        let source = source
        self.source = nil
        self.connection = nil
        source?.connection(connection, didClose: plannedEnd ?? .lost(reason))
    }
}

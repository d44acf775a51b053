import ReveilleBytes
import ReveilleHTTP1
import ReveilleHTTP2
import ReveilleRuntime

/// Ends of exchanges, as handlers wish them.
extension ServerConnection {
    func conclude(_ session: HTTP1ServerSession, _ response: HTTPResponse) {
        switch response.conclusion {
        case .answer: finishHTTP1(session, response)
        case .answerAndClose:
            var response = response
            response.fields.set("connection", "close")
            finishHTTP1(session, response)
        case .resetStream: drop(abruptly: true)
        case .dropConnection(let abruptly): drop(abruptly: abruptly)
        case .upgrade(let name, let makeProtocol): upgrade(session, to: name, response, makeProtocol)
        }
    }

    func conclude(_ session: HTTP2ServerSession, _ id: Int32, _ response: HTTPResponse) {
        switch response.conclusion {
        case .answer: finishHTTP2(session, id, response)
        case .answerAndClose:
            finishHTTP2(session, id, response)
            drainHTTP2(session)
        case .resetStream(let code):
            reset(session, id, code)
            if !session.isActing { requestEndOfTurn() }
        case .dropConnection(let abruptly): drop(abruptly: abruptly)
        case .upgrade:
            let fault = HTTPServerFault.upgradeImpossible
            finishHTTP2(session, id, context.errorResponse(fault.status, fault.rawValue))
        }
    }

    private func drop(abruptly: Bool) {
        if abruptly { socket?.abort() } else { closeGracefully() }
    }

    /// Hands the connection to another protocol, with what has come behind the request.
    private func upgrade(
        _ session: HTTP1ServerSession, to name: String, _ response: HTTPResponse,
        _ makeProtocol: @Sendable (UpgradedConnection) -> any UpgradedProtocol
    ) {
        guard case .handling = session.phase else { return }
        guard !isDraining, session.upgrades.contains(name.lowercased()), let socket else {
            let fault = isDraining ? HTTPServerFault.serverFull : .upgradeImpossible
            return refuseHTTP1(session, context.errorResponse(fault.status, fault.rawValue))
        }
        session.phase = .ended
        clearReadDeadline()
        let before = socket.output.count
        HTTP1Writer.writeSwitchingProtocols(
            to: name, fields: response.fields.list, date: date.bytes(at: context.wallClock.now()), to: socket.output)
        queuedBytes += socket.output.count - before
        clearWriteDeadline()
        session.isPaused = false
        socket.resumeReading()
        let connection = UpgradedConnection(socket: socket, loop: loop, peer: peer) { [weak self] in
            self?.assumeIsolated { $0.closeGracefully() }
        }
        state = .upgraded(connection)
        connection.begin(makeProtocol(connection))
        guard session.input.count > 0 else { return }
        session.input.withReadableBytes { connection.receive($0) }
        session.input.consume(session.input.count)
        connection.inputDrained()
        if session.hasEnded { connection.reachedEnd() }
    }
}

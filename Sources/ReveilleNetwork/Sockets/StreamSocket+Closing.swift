internal import CLinux
internal import Glibc
internal import ReveilleBytes
internal import ReveilleRuntime
internal import ReveilleTLS

extension StreamSocket {
    /// Closes in order: what is in `output` goes out, then close-notify and FIN; the peer's end is
    /// awaited for a while, so that nothing under way is lost.
    ///
    /// What the peer still sends is thrown away.
    package func close() {
        switch life {
        case .connecting, .handshaking: closeNow(.closedByUs)
        case .open:
            life = .lingering
            switch outputState {
            case .flowing: outputState = .finishing
            case .finishing, .ending, .finished: break
            case .broken: return closeNow(.reset)
            }
            timer = loop.schedule(after: StreamSocketLimits.lingerTime) { [weak self] in
                self?.closeNow(.closedByUs)
            }
            request(.flush)
            updateInterest()
            finishLingeringIfDone()
        case .lingering, .closed: break
        }
    }

    /// Closes at once; the peer sees a reset, and what is in `output` is lost.
    package func abort() {
        if descriptor >= 0 { _ = reveille_linux_set_reset_on_close(descriptor) }
        closeNow(.closedByUs)
    }

    /// Ends a graceful close once both directions have ended.
    func finishLingeringIfDone() {
        switch (life, input) {
        case (.lingering, .ended): break
        case (.lingering, .flowing), (.lingering, .paused), (.connecting, _), (.handshaking, _),
            (.open, _), (.closed, _):
            return
        }
        switch outputState {
        case .finished, .broken: closeNow(.closedByUs)
        case .flowing, .finishing, .ending: break
        }
    }

    /// The kernel says that the connection is gone.
    func connectionLost(errno number: Int32) {
        switch life {
        case .connecting, .handshaking:
            closeNow(.connectFailed(ConnectFailure(errno: number)))
        case .open:
            switch number {
            case ECONNRESET, EPIPE, ETIMEDOUT, EHOSTUNREACH, ENETUNREACH, ECONNABORTED:
                closeNow(.reset)
            default: closeNow(.systemFailure(number))
            }
        case .lingering: closeNow(.closedByUs)
        case .closed: break
        }
    }

    /// Closes the descriptor at once; the delegate hears of it at the end of the turn.
    func closeNow(_ reason: SocketCloseReason) {
        switch life {
        case .closed: return
        case .connecting, .handshaking, .open, .lingering: break
        }
        sendAlert(for: reason)
        life = .closed
        closeReason = reason
        timer?.cancel()
        timer = nil
        registration?.cancel()
        registration = nil
        if descriptor >= 0 { _ = reveille_linux_close(descriptor) }
        descriptor = -1
        request(.announceClose)
    }

    func announceClose() {
        guard let reason = closeReason, let delegate else { return }
        self.delegate = nil
        delegate.socket(self, didClose: reason)
    }

    /// Tells the kernel loop what is of interest now.
    func updateInterest() {
        var interest = Interest(rawValue: 0)
        switch life {
        case .connecting: interest = .writable
        case .closed: return
        case .handshaking, .open, .lingering:
            if wantsInput { interest.insert(.readable) }
            if isBlocked { interest.insert(.writable) }
        }
        do {
            try registration?.modify(interest)
        } catch {
            closeNow(.systemFailure(error.number))
        }
    }

    /// Sends the peer the alert that says why TLS failed, if it goes out at once.
    private func sendAlert(for reason: SocketCloseReason) {
        switch reason {
        case .tlsFailed, .tlsBroken:
            guard let tls, descriptor >= 0, !isBlocked, !tls.output.isEmpty else { return }
            _ = tls.output.withReadableBytes {
                reveille_linux_send(descriptor, $0.baseAddress, $0.count)
            }
            _ = reveille_linux_shutdown_write(descriptor)
        case .closedByUs, .closedByPeer, .reset, .connectFailed, .connectTimedOut, .outputTooLate,
            .systemFailure:
            break
        }
    }
}

internal import CLinux
internal import Glibc
internal import ReveilleBytes
internal import ReveilleRuntime
internal import ReveilleTLS

extension StreamSocket {
    func startConnecting(timeout: Duration) {
        do {
            descriptor = try SystemError.check(
                reveille_linux_socket(peer.systemFamily, Int32(SOCK_STREAM.rawValue)), "socket")
            try setOptions()
            let result = peer.withSystemAddress { reveille_linux_connect(descriptor, $0, $1) }
            if result != -EINPROGRESS { try SystemError.check(result, "connect") }
            registration = try loop.register(descriptor, .writable, self)
        } catch {
            return closeNow(.connectFailed(ConnectFailure(errno: error.number)))
        }
        startTimer(timeout)
    }

    func startAccepted(timeout: Duration) {
        do {
            try setOptions()
            registration = try loop.register(descriptor, .readable, self)
        } catch {
            return closeNow(.systemFailure(error.number))
        }
        switch life {
        case .handshaking: startTimer(timeout)
        case .open: request(.announceOpen)
        case .connecting, .lingering, .closed: break
        }
    }

    /// Called when the kernel has finished connecting, one way or the other.
    func finishConnecting() {
        let number = reveille_linux_socket_error(descriptor)
        guard number == 0 else {
            return closeNow(.connectFailed(ConnectFailure(errno: number)))
        }
        guard !isExact || (try? SocketAddress.remote(of: descriptor)) == peer else {
            return closeNow(.connectFailed(.elsewhere))
        }
        if tls == nil {
            life = .open
            updateInterest()
            announceOpen()
        } else {
            life = .handshaking
            updateInterest()
            continueHandshake()
        }
    }

    /// Goes on with the handshake; true if the connection is open.
    @discardableResult
    func continueHandshake() -> Bool {
        guard let tls else { return false }
        let result = tls.handshake()
        if !tls.output.isEmpty { request(.flush) }
        switch result {
        case .wantsInput: return false
        case .failed(let error):
            closeNow(.tlsFailed(error))
            return false
        case .complete:
            life = .open
            announceOpen()
            return true
        }
    }

    func announceOpen() {
        switch life {
        case .open:
            timer?.cancel()
            timer = nil
            // What was put into the output before can go now.
            request(.flush)
            delegate?.socketDidOpen(self)
        case .connecting, .handshaking, .lingering, .closed: break
        }
    }

    private func startTimer(_ timeout: Duration) {
        timer = loop.schedule(after: timeout) { [weak self] in
            self?.closeNow(.connectTimedOut)
        }
    }

    private func setOptions() throws(SystemError) {
        try SystemError.check(
            reveille_linux_set_option(
                descriptor, REVEILLE_LINUX_IPPROTO_TCP, REVEILLE_LINUX_TCP_NODELAY, 1),
            "setsockopt")
    }
}

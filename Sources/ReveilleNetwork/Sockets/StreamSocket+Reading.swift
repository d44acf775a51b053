internal import CLinux
internal import Glibc
internal import ReveilleBytes
internal import ReveilleRuntime
internal import ReveilleTLS

extension StreamSocket {
    /// Stops reading: the kernel's buffer fills, and the peer has to wait.
    ///
    /// Also stops what is already received.
    package func pauseReading() {
        switch input {
        case .flowing:
            input = .paused
            updateInterest()
        case .paused, .ended: break
        }
    }

    /// Goes on reading, not before this returns.
    package func resumeReading() {
        switch input {
        case .paused:
            input = .flowing
            if tls != nil { request(.readBacklog) }
            updateInterest()
        case .flowing, .ended: break
        }
    }

    /// Whether what the peer sends is wanted now.
    var wantsInput: Bool {
        switch (life, input) {
        case (.handshaking, .flowing), (.handshaking, .paused), (.open, .flowing): true
        case (.lingering, .flowing), (.lingering, .paused): true
        case (.open, .paused), (_, .ended), (.connecting, _), (.closed, _): false
        }
    }

    /// Reads what the kernel has, in a bounded number of receives; the loop calls again for the
    /// rest.
    func readBatch() {
        for _ in 0..<StreamSocketLimits.receivesPerTurn where wantsInput {
            let count = reveille_linux_receive(
                descriptor, scratch.received.baseAddress, scratch.received.count)
            if count == -Int64(EAGAIN) { break }
            guard count > 0 else {
                transportEnded(errno: Int32(truncatingIfNeeded: -count))
                break
            }
            process(UnsafeRawBufferPointer(rebasing: scratch.received[..<Int(count)]))
            // A short read emptied the kernel's buffer; asking again would only be told so.
            if Int(count) < scratch.received.count { break }
        }
        finishBatch()
    }

    /// Reads what TLS has received and not given out because reading was paused.
    func readBacklog() {
        switch (life, input) {
        case (.open, .flowing):
            tls?.lend(UnsafeRawBufferPointer(start: nil, count: 0)) { readPlaintext() }
            finishBatch()
        case (.open, .paused), (.open, .ended), (.connecting, _), (.handshaking, _), (.lingering, _),
            (.closed, _):
            break
        }
    }

    private func finishBatch() {
        // Decrypting may have had an answer, as when the peer changes keys.
        if let tls, !tls.output.isEmpty { request(.flush) }
        switch life {
        case .open:
            delegate?.socketDidDrainInput(self)
            updateInterest()
        case .lingering, .handshaking: updateInterest()
        case .connecting, .closed: break
        }
    }

    private func process(_ bytes: UnsafeRawBufferPointer) {
        switch life {
        case .lingering: discard(bytes.count)
        case .connecting, .closed: break
        case .handshaking, .open:
            guard let tls else {
                delegate?.socket(self, didReceive: bytes)
                return
            }
            tls.lend(bytes) {
                switch life {
                case .handshaking: if continueHandshake() { readPlaintext() }
                case .open: readPlaintext()
                case .connecting, .lingering, .closed: break
                }
            }
        }
    }

    /// Decrypts and delivers as long as the owner wants and there is something.
    private func readPlaintext() {
        guard let tls else { return }
        while true {
            switch (life, input) {
            case (.open, .flowing): break
            case (.open, .paused), (.open, .ended), (.connecting, _), (.handshaking, _),
                (.lingering, _), (.closed, _):
                return
            }
            let (count, stop) = tls.read(into: scratch.plaintext)
            if count > 0 {
                delegate?.socket(
                    self, didReceive: UnsafeRawBufferPointer(rebasing: scratch.plaintext[..<count]))
            }
            switch stop {
            case .bufferIsFull: continue
            case .wantsInput: return
            case .ended: return inputEnded()
            case .failed(let error): return tlsBroke(error)
            }
        }
    }

    /// The kernel has nothing more: the peer's end, or an error.
    private func transportEnded(errno number: Int32) {
        guard number == 0 else { return connectionLost(errno: number) }
        switch life {
        case .connecting, .closed: break
        case .lingering:
            input = .ended
            finishLingeringIfDone()
        case .handshaking:
            tls?.endInput()
            continueHandshake()
        case .open:
            guard let tls else { return inputEnded() }
            tls.endInput()
            tls.lend(UnsafeRawBufferPointer(start: nil, count: 0)) { readPlaintext() }
        }
    }

    /// The peer ended its direction in order.
    private func inputEnded() {
        switch (life, input) {
        case (.open, .flowing), (.open, .paused): input = .ended
        case (.open, .ended), (.connecting, _), (.handshaking, _), (.lingering, _), (.closed, _): return
        }
        updateInterest()
        delegate?.socketDidReachEnd(self)
        switch outputState {
        case .finished: closeNow(.closedByPeer)
        case .broken: closeNow(.reset)
        case .flowing, .finishing, .ending: break
        }
    }

    private func tlsBroke(_ error: TLSError) {
        switch outputState {
        case .broken where error.code == .truncated: closeNow(.reset)
        case .broken, .flowing, .finishing, .ending, .finished: closeNow(.tlsBroken(error))
        }
    }

    private func discard(_ count: Int) {
        discardedBytes += count
        if discardedBytes > StreamSocketLimits.lingerBytes { closeNow(.closedByUs) }
    }
}

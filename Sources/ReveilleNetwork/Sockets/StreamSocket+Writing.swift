internal import CLinux
internal import Glibc
internal import ReveilleBytes
package import ReveilleRuntime
internal import ReveilleTLS

extension StreamSocket {
    /// What came of sending.
    private enum SendResult {
        /// Everything is with the kernel.
        case done
        /// The kernel takes no more for now.
        case blocked
        /// The connection is broken or closed.
        case broken
    }

    /// Gives the kernel as much as it takes, now.
    ///
    /// What it does not take follows by itself.
    package func flush() {
        switch life {
        case .connecting, .closed: return
        case .handshaking, .open, .lingering: break
        }
        switch outputState {
        case .flowing, .finishing, .ending: break
        case .finished, .broken: return dropOutput()
        }
        outputDeadline.close(at: sentBytes + UInt64(encryptedBytes + plaintext.count))
        switch sendAll() {
        case .done:
            setBlocked(false)
            outputDrained()
        case .blocked: setBlocked(true)
        case .broken: setBlocked(false)
        }
    }

    /// Ends our direction after everything that was put into `output`: close-notify, then FIN.
    ///
    /// Reading goes on.
    package func finishWriting() {
        switch outputState {
        case .flowing:
            outputState = .finishing
            request(.flush)
        case .finishing, .ending, .finished, .broken: break
        }
    }

    /// Everything queued until the next flush must be with the kernel by an instant; what is not is never sent.
    ///
    /// The connection closes then, because the bytes cannot be taken back one by one. The clock is read anew before each
    /// send, so a process that was stopped in the middle of a turn notices.
    package func mustLeave(by deadline: MonotonicInstant) {
        outputDeadline.note(deadline)
    }

    private func setBlocked(_ blocked: Bool) {
        guard blocked != isBlocked else { return }
        isBlocked = blocked
        updateInterest()
    }

    /// Encrypts and sends, portion by portion, as far as the kernel takes it.
    private func sendAll() -> SendResult {
        guard let tls else {
            let queued = plaintext.count
            let result = send(from: plaintext)
            didSend(queued - plaintext.count)
            return result
        }
        while true {
            guard encrypt(with: tls) else { return .broken }
            switch send(from: tls.output) {
            case .done: didSend(encryptedBytes)
            case .blocked: return .blocked
            case .broken: return .broken
            }
            switch life {
            case .open, .lingering: if plaintext.isEmpty { return .done }
            case .connecting, .handshaking: return .done
            case .closed: return .broken
            }
        }
    }

    /// So many octets of the plaintext are with the kernel.
    private func didSend(_ count: Int) {
        sentBytes += UInt64(count)
        encryptedBytes = 0
        outputDeadline.left(upTo: sentBytes)
    }

    /// Encrypts a portion, unless too much ciphertext waits already; false if TLS is broken.
    private func encrypt(with tls: TLSSession) -> Bool {
        switch life {
        case .connecting, .handshaking, .closed: return true
        case .open, .lingering: break
        }
        guard !plaintext.isEmpty, tls.output.count < StreamSocketLimits.ciphertextBytes else {
            return true
        }
        let count = min(plaintext.count, StreamSocketLimits.encryptBytes)
        do {
            try plaintext.withReadableBytes { bytes throws(TLSError) in
                try tls.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            }
        } catch {
            closeNow(.tlsBroken(error))
            return false
        }
        plaintext.consume(count)
        encryptedBytes += count
        return true
    }

    private func send(from queue: ByteQueue) -> SendResult {
        while !queue.isEmpty {
            if !outputDeadline.isEmpty, outputDeadline.isOver(at: loop.refreshedNow()) {
                abandon()
                return .broken
            }
            let count = queue.withReadableBytes {
                reveille_linux_send(descriptor, $0.baseAddress, $0.count)
            }
            if count == -Int64(EAGAIN) { return .blocked }
            guard count >= 0 else {
                outputBroke(errno: Int32(truncatingIfNeeded: -count))
                return .broken
            }
            queue.consume(Int(count))
        }
        return .done
    }

    private func outputDrained() {
        releaseLargeBuffers()
        switch (life, outputState) {
        case (.open, .finishing), (.lingering, .finishing), (.open, .ending), (.lingering, .ending):
            sendEnd()
        case (_, .flowing), (_, .finished), (_, .broken), (.connecting, _), (.handshaking, _),
            (.closed, _):
            break
        }
        switch life {
        case .open where hasUnreportedOutput:
            hasUnreportedOutput = false
            delegate?.socketDidDrainOutput(self)
        case .open, .connecting, .handshaking, .lingering, .closed: break
        }
    }

    /// Sends close-notify and FIN, after everything else was sent.
    private func sendEnd() {
        if let tls {
            outputState = .ending
            tls.endOutput()
            switch send(from: tls.output) {
            case .done: break
            case .blocked: return setBlocked(true)
            case .broken: return
            }
        }
        _ = reveille_linux_shutdown_write(descriptor)
        outputState = .finished
        switch (life, input) {
        case (.lingering, _): finishLingeringIfDone()
        case (.open, .ended): closeNow(.closedByPeer)
        case (.open, .flowing), (.open, .paused), (.connecting, _), (.handshaking, _), (.closed, _):
            break
        }
    }

    /// The kernel refuses output.
    ///
    /// What the peer sent before it went may say why, so it is read first.
    private func outputBroke(errno number: Int32) {
        dropOutput()
        outputState = .broken
        isBlocked = false
        switch (life, input) {
        case (.open, .flowing): updateInterest()
        case (.open, .paused), (.open, .ended), (.handshaking, _), (.lingering, _):
            connectionLost(errno: number)
        case (.connecting, _), (.closed, _): break
        }
    }

    /// What is queued is too late for the peer, and there is nothing else to say on this connection.
    private func abandon() {
        dropOutput()
        _ = reveille_linux_set_reset_on_close(descriptor)
        closeNow(.outputTooLate)
    }

    private func dropOutput() {
        plaintext.removeAll()
        tls?.output.removeAll()
    }

    private func releaseLargeBuffers() {
        plaintext.releaseBuffer(largerThan: StreamSocketLimits.keptBufferBytes)
        tls?.output.releaseBuffer(largerThan: StreamSocketLimits.keptBufferBytes)
    }
}

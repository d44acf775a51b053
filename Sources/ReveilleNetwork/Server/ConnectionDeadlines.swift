import ReveilleRuntime

/// Until when a connection must have got on with something.
///
/// One timer serves all; moving a deadline later costs nothing, the timer then fires once too early.
struct ConnectionDeadlines {
    /// What is waited for from the client.
    enum Reason {
        /// The rest of a header, or the first one.
        case header
        /// The rest of a body.
        case body
        /// A further request.
        case idle
        /// HTTP/2: the earliest of the streams' own deadlines.
        case streams
    }

    /// What is waited for, and until when.
    var read: (reason: Reason, at: MonotonicInstant)?
    /// Until when the client must have read something, and how much it had read before.
    var write: (at: MonotonicInstant, drained: Int)?
    /// For when the timer is set.
    var armed: MonotonicInstant?

    var earliest: MonotonicInstant? {
        switch (read?.at, write?.at) {
        case (let read?, let write?): min(read, write)
        case (let read?, nil): read
        case (nil, let write?): write
        case (nil, nil): nil
        }
    }
}

extension ServerConnection {
    func setDeadline(_ reason: ConnectionDeadlines.Reason, after delay: Duration) {
        setDeadline(reason, at: loop.now() + delay)
    }

    func setDeadline(_ reason: ConnectionDeadlines.Reason, at instant: MonotonicInstant) {
        deadlines.read = (reason, instant)
        armTimer()
    }

    func clearReadDeadline() { deadlines.read = nil }

    func clearWriteDeadline() { deadlines.write = nil }

    /// Notes that output waits for the client.
    func watchOutput() {
        guard deadlines.write == nil, let socket else { return }
        deadlines.write = (loop.now() + limits.writeTimeout, queuedBytes - socket.pendingOutputBytes)
        armTimer()
    }

    private func armTimer() {
        guard let timer, let deadline = deadlines.earliest else { return }
        if timer.isPending, let armed = deadlines.armed, armed <= deadline { return }
        deadlines.armed = deadline
        timer.start(at: deadline)
    }

    func timerDidFire() {
        deadlines.armed = nil
        let now = loop.now()
        if let write = deadlines.write, write.at <= now { writeIsLate(since: write.drained) }
        if let read = deadlines.read, read.at <= now {
            deadlines.read = nil
            readIsLate(read.reason, now)
        }
        armTimer()
    }

    private func writeIsLate(since drained: Int) {
        guard let socket else { return }
        deadlines.write = nil
        guard queuedBytes - socket.pendingOutputBytes > drained else {
            context.counters.abusiveConnections.increment()
            socket.abort()
            return
        }
        watchOutput()
    }

    private func readIsLate(_ reason: ConnectionDeadlines.Reason, _ now: MonotonicInstant) {
        switch state {
        case .opening: socket?.abort()
        case .http1(let session): timeOutHTTP1(session, reason)
        case .http2(let session): timeOutHTTP2(session, reason, now)
        case .upgraded, .closing, .ending, .closed: break
        }
    }
}

internal import CLinux
internal import Glibc
internal import ReveilleRuntime
internal import ReveilleTelemetry

/// Accepts the connections of one listening socket, on the first of its loops.
actor ConnectionAcceptor {
    /// Connections accepted per turn, so that a flood of them does not keep others waiting.
    private static let acceptsPerTurn = 64
    /// How long accepting pauses when there are no descriptors left: the listening socket stays
    /// ready meanwhile, so asking at once again would spin.
    private static let pause: Duration = .milliseconds(100)

    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// How often accepting had to pause.
    private(set) var pauseCount = 0

    private var descriptor: Int32
    private let loops: [EventLoop]
    private let log: Log?
    private let onAccept: Listener.AcceptHandler
    private var registration: DescriptorRegistration?
    private var nextLoop = 0

    init(
        descriptor: Int32, loops: [EventLoop], log: Log?, onAccept: @escaping Listener.AcceptHandler
    ) {
        self.descriptor = descriptor
        self.loops = loops
        self.log = log
        self.onAccept = onAccept
        loop = loops[0]
    }

    deinit {
        if descriptor >= 0 { _ = reveille_linux_close(descriptor) }
    }

    func start() {
        guard descriptor >= 0, registration == nil else { return }
        do {
            registration = try loop.register(descriptor, .readable, self)
        } catch {
            log?.error("listening socket cannot be watched", ["errno": .integer(Int64(error.number))])
            stop()
        }
    }

    func stop() {
        registration?.cancel()
        registration = nil
        if descriptor >= 0 { _ = reveille_linux_close(descriptor) }
        descriptor = -1
    }

    private func acceptBatch() {
        for _ in 0..<Self.acceptsPerTurn {
            var storage = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let accepted = reveille_linux_accept(descriptor, &storage, &length)
            if accepted < 0 {
                guard acceptFailed(errno: -accepted) else { return }
                continue
            }
            guard let peer = SocketAddress.address(in: &storage) else {
                _ = reveille_linux_close(accepted)
                continue
            }
            handOver(accepted, peer)
            // The owner may have stopped the listener.
            guard descriptor >= 0 else { return }
        }
    }

    private func handOver(_ accepted: Int32, _ peer: SocketAddress) {
        let target = loops[nextLoop]
        nextLoop = (nextLoop + 1) % loops.count
        if target === loop {
            onAccept(accepted, peer, target)
        } else {
            let onAccept = onAccept
            target.execute { onAccept(accepted, peer, target) }
        }
    }

    /// Says whether another connection should be tried at once.
    private func acceptFailed(errno number: Int32) -> Bool {
        switch number {
        case EAGAIN: return false
        // The connection was gone before it was accepted; Linux passes its error on (accept(2)).
        case ECONNABORTED, ENETDOWN, EPROTO, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH,
            EOPNOTSUPP, ENETUNREACH, ETIMEDOUT, EPERM:
            return true
        default:
            pauseAccepting(errno: number)
            return false
        }
    }

    private func pauseAccepting(errno number: Int32) {
        pauseCount += 1
        log?.warning("accepting connections is paused", ["errno": .integer(Int64(number))])
        registration?.cancel()
        registration = nil
        loop.schedule(after: Self.pause) { [weak self] in
            self?.assumeIsolated { $0.start() }
        }
    }
}

extension ConnectionAcceptor: DescriptorHandler {
    nonisolated func descriptorReady(_ readiness: Readiness) {
        assumeIsolated { $0.acceptBatch() }
    }
}

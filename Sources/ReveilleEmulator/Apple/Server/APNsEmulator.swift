package import ReveilleNetwork
package import ReveilleRuntime
internal import ReveilleTLS
package import ReveilleTelemetry

/// A stand-in for Apple's push service over real TLS and HTTP/2.
///
/// It checks everything Apple would, answers with Apple's reasons, keeps what each device would show and everything it saw, and
/// misbehaves on command. Nothing here is shared with the sender above bytes, TLS and framing: its tables of Apple's rules are
/// its own.
package final class APNsEmulator: Emulator {
    private enum State {
        case idle
        case running([AppleEnvironment: Listening])
        case stopped
    }

    /// A listening environment.
    ///
    /// The listener is nil while connections are refused by the kernel.
    private struct Listening {
        var address: SocketAddress
        var listener: Listener?
    }

    /// How the emulator was asked to behave.
    package let configuration: APNsEmulatorConfiguration
    /// The certificate of the authority that clients must trust, as PEM.
    ///
    /// Its key is only in memory.
    package let authorityPEM: String

    let host: AppleHost
    /// The thread that everything happens on.
    package let loop: EventLoop
    private let tls: TLSContext
    private let log: Log
    private let state = Locked(State.idle)
    /// The addresses on which nobody listens for a while.
    private let holds = Locked<[Listener.Hold]>([])

    /// Connections that wait to be accepted.
    private static let backlog: Int32 = 512

    /// Makes the authority and the server's certificate.
    ///
    /// - Throws: `certificate_failed` when names or addresses of the certificate are none.
    package init(
        _ configuration: APNsEmulatorConfiguration = APNsEmulatorConfiguration(),
        wallClock: any WallClock = SystemWallClock(),
        monotonicClock: any MonotonicClock = SystemMonotonicClock(),
        random: any RandomSource = SystemRandom(), log: Log = .silent
    ) throws(EmulatorError) {
        self.configuration = configuration
        self.log = log.scoped("emulator")
        let identity = try EmulatorIdentity(
            of: "apns", names: configuration.certificateNames, addresses: configuration.certificateAddresses,
            protocols: ["h2"])
        tls = identity.tls
        authorityPEM = identity.authorityPEM
        loop = EventLoop(name: "apns-emulator", clock: monotonicClock)
        host = AppleHost(configuration, loop: loop, clock: wallClock, random: random)
    }

    // MARK: Life

    /// Starts to listen.
    ///
    /// - Returns: the address of the production environment or, without one, of the sandbox.
    /// - Throws: `listen_failed` when an address cannot be used, `wrong_state` when it was started before.
    @discardableResult
    package func start() throws(EmulatorError) -> SocketAddress {
        let mayStart = state.withLock { state in
            guard case .idle = state, !configuration.addresses.isEmpty else { return false }
            state = .running([:])
            return true
        }
        guard mayStart else { throw EmulatorError(.wrongState) }
        loop.start()
        for (environment, address) in configuration.addresses {
            do throws(EmulatorError) {
                try listen(environment, on: address)
            } catch {
                for listener in takeListeners() { listener.stop() }
                end()
                throw error
            }
        }
        guard let address = address(of: .production) ?? address(of: .sandbox) else {
            throw EmulatorError(.wrongState)
        }
        return address
    }

    /// Ends all connections and the thread.
    ///
    /// Further calls do nothing.
    package func stop() async {
        for listener in takeListeners() { await listener.stopAndWait() }
        await host.perform { $0.abortConnections() }
        end()
    }

    private func end() {
        state.withLock { $0 = .stopped }
        holds.withLock { $0 = [] }
        loop.stop()
    }

    private func takeListeners() -> [Listener] {
        state.withLock { state -> [Listener] in
            guard case .running(let environments) = state else { return [] }
            state = .running(environments.mapValues { Listening(address: $0.address, listener: nil) })
            return environments.values.compactMap(\.listener)
        }
    }

    /// Where an environment listens; nil before the start and for an environment that was not configured.
    package func address(of environment: AppleEnvironment) -> SocketAddress? {
        addresses[environment]
    }

    /// Where each environment listens; empty before the start.
    package var addresses: [AppleEnvironment: SocketAddress] {
        state.withLock { state in
            guard case .running(let environments) = state else { return [:] }
            return environments.mapValues(\.address)
        }
    }

    /// Closes the listening sockets, so that the kernel refuses connections, or opens them again at the same addresses.
    ///
    /// Connections that are there stay.
    package func setListening(_ listening: Bool) async throws(EmulatorError) {
        guard listening else {
            for listener in takeListeners() {
                await listener.stopAndWait()
                // Or the port is somebody else's when it is wanted again; what cannot be held is only asked for again then.
                let hold = try? Listener.Hold(listener.localAddress)
                holds.withLock { $0 += [hold].compactMap(\.self) }
            }
            return
        }
        let closed = state.withLock { state -> [AppleEnvironment: SocketAddress] in
            guard case .running(let environments) = state else { return [:] }
            return environments.filter { $0.value.listener == nil }.mapValues(\.address)
        }
        for (environment, address) in closed { try listen(environment, on: address) }
        holds.withLock { $0 = [] }
    }

    private func listen(
        _ environment: AppleEnvironment, on address: SocketAddress
    ) throws(EmulatorError) {
        let listener: Listener
        do {
            listener = try Listener(
                address: address, loops: [loop], backlog: Self.backlog
            ) { [host, tls] descriptor, peer, _ in
                host.admit(descriptor, from: peer, to: environment, tls: tls)
            }
        } catch {
            throw EmulatorError(.listenFailed, address.text)
        }
        let local = listener.localAddress
        state.withLock { state in
            guard case .running(var environments) = state else { return }
            environments[environment] = Listening(address: local, listener: listener)
            state = .running(environments)
        }
        log.info(
            "listening",
            [
                "environment": .code(environment),
                "address": .configured(local.description),
            ])
    }
}

package import ReveilleNetwork
package import ReveilleRuntime
internal import ReveilleTLS
package import ReveilleTelemetry

/// A stand-in for a push service over real TLS, HTTP/2 and HTTP/1.1.
///
/// It checks everything that the service would, answers in its words, keeps what each device would show and everything it saw,
/// and misbehaves on command. Nothing here is shared with the senders above bytes, TLS and framing.
package final class PushServiceEmulator<Provider: PushServiceProvider>: Emulator {
    private enum State {
        case idle
        case running(HTTPServer, SocketAddress)
        /// Nobody listens for a while; the port is held.
        case deaf(SocketAddress, Listener.Hold?)
        case stopped
    }

    /// How the emulator was asked to behave.
    package let configuration: PushServiceConfiguration<Provider>
    /// The certificate of the authority that clients must trust, as PEM.
    package let authorityPEM: String
    /// The thread that everything happens on.
    package let loop: EventLoop

    let host: PushServiceHost<Provider>
    private let tls: TLSContext?
    private let log: Log
    private let wallClock: any WallClock
    private let state = Locked(State.idle)

    /// Makes the authority and the server's certificate, unless they are given.
    ///
    /// - Throws: `certificate_failed` when names or addresses of the certificate are none.
    package init(
        _ configuration: PushServiceConfiguration<Provider>,
        wallClock: any WallClock = SystemWallClock(),
        monotonicClock: any MonotonicClock = SystemMonotonicClock(),
        random: any RandomSource = SystemRandom(), log: Log = .silent
    ) throws(EmulatorError) {
        self.configuration = configuration
        self.log = log.scoped("emulator")
        self.wallClock = wallClock
        let identity = try EmulatorIdentity(
            of: Provider.name, names: configuration.certificateNames, addresses: configuration.certificateAddresses,
            protocols: configuration.protocols)
        tls = configuration.usesTLS ? identity.tls : nil
        authorityPEM = identity.authorityPEM
        loop = EventLoop(name: Provider.name, clock: monotonicClock)
        host = PushServiceHost(configuration, loop: loop, clock: wallClock, random: random)
    }

    // MARK: Life

    /// Starts to listen.
    @discardableResult
    package func start() async throws(EmulatorError) -> SocketAddress {
        let mayStart = state.withLock { state in
            guard case .idle = state else { return false }
            state = .stopped
            return true
        }
        guard mayStart else { throw EmulatorError(.wrongState) }
        loop.start()
        do throws(EmulatorError) {
            return try await listen(on: configuration.address)
        } catch {
            loop.stop()
            throw error
        }
    }

    private func listen(on address: SocketAddress) async throws(EmulatorError) -> SocketAddress {
        var limits = HTTPServerLimits()
        limits.maximumStreams = configuration.streamLimit
        let server = HTTPServer(
            configuration: HTTPServerConfiguration(address: address, tls: tls, limits: limits), loops: [loop],
            handler: PushServiceHandler(host: host),
            errorResponse: { status, code in HTTPResponse(status: status, body: .bytes(Array(code.utf8))) },
            wallClock: wallClock, log: log)
        let local: SocketAddress
        do throws(SystemError) {
            local = try await server.start()
        } catch {
            throw EmulatorError(.listenFailed, address.text)
        }
        state.withLock { $0 = .running(server, local) }
        let origin = origin
        await host.perform { $0.provider.didListen(at: origin) }
        return local
    }

    /// Ends all connections and the thread.
    package func stop() async {
        let server = state.withLock { state -> HTTPServer? in
            defer { state = .stopped }
            guard case .running(let server, _) = state else { return nil }
            return server
        }
        await server?.drain(within: .zero)
        await host.perform { _ in }
        loop.stop()
    }

    /// Where it listens; nil before the start and after the end.
    package var address: SocketAddress? {
        state.withLock { state in
            switch state {
            case .running(_, let address), .deaf(let address, _): address
            case .idle, .stopped: nil
            }
        }
    }

    /// Its address as a client writes it, with a name that is in the certificate.
    package var origin: String {
        "\(configuration.usesTLS ? "https" : "http")://\(configuration.certificateNames.first ?? "localhost"):\(address?.port ?? 0)"
    }

    /// Ends all connections and closes the listening socket, so that the kernel refuses connections, or opens it again at the same
    /// address.
    package func setListening(_ listening: Bool) async throws(EmulatorError) {
        let (server, address) = state.withLock { state -> (HTTPServer?, SocketAddress?) in
            switch state {
            case .running(let server, let address): (server, address)
            case .deaf(let address, _): (nil, address)
            case .idle, .stopped: (nil, nil)
            }
        }
        guard let address, listening == (server == nil) else { return }
        if let server {
            await server.drain(within: .zero)
            // Or the port is somebody else's when it is wanted again; what cannot be held is only asked for again then.
            let hold = try? Listener.Hold(address)
            state.withLock { $0 = .deaf(address, hold) }
        } else {
            _ = try await listen(on: address)
        }
    }

    /// Looks at the service, or changes it.
    package func perform<R: Sendable>(_ body: @Sendable (Provider) -> sending R) async -> R {
        await host.perform { body($0.provider) }
    }
}

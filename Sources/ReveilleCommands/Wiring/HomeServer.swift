internal import Glibc
internal import ReveilleDispatcher
internal import ReveilleEndpoints
internal import ReveilleHomeAPI
internal import ReveilleInbox
package import ReveilleNetwork
internal import ReveilleRuntime
package import ReveilleSQLite
internal import ReveilleStorage
package import ReveilleStorageSQLite
package import ReveilleTelemetry

/// The home server, wired: store, dispatcher with its senders, API and listener.
///
/// The only place that knows an engine of the store and a provider at once. Used by `serve`, by the demo and by journeys, so
/// that all three run the same thing.
package final class HomeServer: Sendable {
    /// Where the API listens, with the port that the kernel gave.
    package let address: SocketAddress
    /// The store, for tests and for commands that share the process.
    package let store: SQLiteHomeStore
    /// What `/metrics` shows.
    package let metrics: MetricsRegistry

    private let loops: [EventLoop]
    private let server: HTTPServer
    private let dispatching: Task<Void, Never>
    private let upkeep: [Task<Void, Never>]
    private let drainLimit: Duration
    private let log: Log

    private init(
        address: SocketAddress, store: SQLiteHomeStore, metrics: MetricsRegistry, loops: [EventLoop],
        server: HTTPServer, dispatching: Task<Void, Never>, upkeep: [Task<Void, Never>], drainLimit: Duration, log: Log
    ) {
        self.address = address
        self.store = store
        self.metrics = metrics
        self.loops = loops
        self.server = server
        self.dispatching = dispatching
        self.upkeep = upkeep
        self.drainLimit = drainLimit
        self.log = log
    }

    /// Opens the store and starts everything; returns when the server listens.
    ///
    /// - Parameter faults: a file system that fails on request, for tests.
    /// - Throws: `SettingsError`, `StoreError` or `CommandFailure`; nothing is left running then.
    package static func start(
        _ settings: HomeSettings, log: Log, faults: FaultInjectingVFS? = nil
    ) async throws -> HomeServer {
        let store = try await StoreOpener.open(settings, log: log, faults: faults)
        let loops = (1...settings.threads).map { EventLoop(name: "loop-\($0)") }
        for loop in loops { loop.start() }
        do {
            return try await assemble(settings, store: store, loops: loops, log: log)
        } catch {
            for loop in loops { loop.stop() }
            await store.close()
            throw error
        }
    }

    /// What clients are granted, with descriptors left for everything else.
    private static func limits() -> HTTPServerLimits {
        var limits = HTTPServerLimits()
        (limits.maximumConnections, limits.maximumRefusals) = OpenFileLimit.shares(of: OpenFileLimit.present)
        return limits
    }

    private static func assemble(
        _ settings: HomeSettings, store: SQLiteHomeStore, loops: [EventLoop], log: Log
    ) async throws -> HomeServer {
        let metrics = MetricsRegistry()
        let dispatcher = DispatcherWiring.make(settings, store: store, loops: loops, log: log, metrics: metrics)
        let inbox = HomeInbox(
            store: store, secrets: store.secrets, apps: settings.apps, categories: settings.categories,
            apple: ApplePushSettings(provider: settings.apns == nil ? .off : .customAPNs),
            services: PushServices(
                policy: EndpointPolicy(), keys: VAPIDKeys.services([VAPIDKeys.own(store.secrets)])),
            lanes: LaneSwitch(dispatcher), limits: settings.inboxLimits, clock: SystemWallClock(),
            steady: SystemMonotonicClock(), random: SystemRandom(), pause: { try await loops[0].sleep(for: $0) })
        let api = HomeAPI(
            inbox: inbox, settings: HomeAPISettings(allowedOrigins: settings.allowedOrigins), log: log,
            metrics: metrics, clock: SystemMonotonicClock(), random: SystemRandom())
        let server = HTTPServer(
            configuration: HTTPServerConfiguration(address: settings.listen, tls: settings.tls, limits: limits()),
            loops: loops,
            handler: api, errorResponse: { api.protocolError(status: $0, code: $1) }, log: log.scoped("http"))
        // The dispatcher attaches to the store before the first post can come in.
        let dispatching = Task { await run(dispatcher, log) }
        let address: SocketAddress
        do throws(SystemError) {
            address = try await server.start()
        } catch {
            dispatching.cancel()
            await dispatching.value
            throw cannotListen(on: settings.listen, error)
        }
        return HomeServer(
            address: address, store: store, metrics: metrics, loops: loops, server: server, dispatching: dispatching,
            upkeep: [
                Upkeep.start(store: store, retention: settings.retention, loop: loops[0], log: log),
                KeyWatch.start(store: store, settings: settings.store, loop: loops[0], log: log),
            ],
            drainLimit: .seconds(settings.drainSeconds), log: log)
    }

    private static func cannotListen(on address: SocketAddress, _ error: SystemError) -> CommandFailure {
        let advice =
            switch error.number {
            case EADDRINUSE: "is another server running there?"
            case EADDRNOTAVAIL: "REVEILLE_LISTEN takes an address of this machine, or 0.0.0.0 or [::] for all of them"
            case EACCES: "ports below 1024 need CAP_NET_BIND_SERVICE"
            default: "REVEILLE_LISTEN says where to listen"
            }
        return CommandFailure("cannot listen on \(address.text): \(SystemWords.of(error.number)); \(advice)")
    }

    private static func run(_ dispatcher: Dispatcher, _ log: Log) async {
        do {
            try await dispatcher.run()
        } catch {
            log.error("the dispatcher ended")
        }
    }

    /// Stops in the order of the way: no more requests, then no more sends, then the store.
    ///
    /// What is in flight is awaited within the limit; what is left then stays leased for the next start.
    package func stop() async {
        log.notice("stopping")
        await server.drain(within: drainLimit)
        for task in upkeep { task.cancel() }
        dispatching.cancel()
        for task in upkeep { await task.value }
        await dispatching.value
        await store.close()
        for loop in loops { loop.stop() }
        log.notice("stopped")
    }
}

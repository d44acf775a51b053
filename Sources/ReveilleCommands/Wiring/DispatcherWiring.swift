internal import ReveilleAPNs
internal import ReveilleCore
internal import ReveilleDispatcher
internal import ReveilleNetwork
internal import ReveilleRuntime
internal import ReveilleSending
internal import ReveilleStorage
internal import ReveilleStorageSQLite
internal import ReveilleTelemetry

/// Makes the dispatcher with a sender for each lane that the settings have a credential for.
enum DispatcherWiring {
    static func make(
        _ settings: HomeSettings, store: SQLiteHomeStore, loops: [EventLoop], log: Log, metrics: MetricsRegistry
    ) -> Dispatcher {
        var options = DispatcherOptions(settings)
        let factory: LaneSenderFactory
        if let apns = settings.apns {
            options.lanes = APNsEnvironment.allCases.map { LaneKey.apns($0) }
            factory = senders(apns, resolver: SystemResolver(on: loops[0]), log: log, metrics: APNsMetrics(metrics))
        } else {
            factory = { _, _, _ in nil }
        }
        return Dispatcher(
            store: store, tokens: store.vault, publicIDs: store.secrets.publicIDs, collapse: store.secrets.collapse,
            senders: factory, loops: loops,
            options: options, log: log,
            metrics: DispatcherMetrics(
                registry: metrics, reasons: APNsOutcomes.rows.map { APNsOutcomes.word($0.reason) }))
    }

    private static func senders(
        _ apns: HomeSettings.APNsSettings, resolver: any Resolver, log: Log, metrics: APNsMetrics
    ) -> LaneSenderFactory {
        let providerTokens = ProviderTokens(credential: apns.credential)
        return { key, source, loop in
            guard let environment = key.destination.apnsEnvironment else { return nil }
            let place = environment == .production ? apns.production : apns.sandbox
            var configuration = SendingConfiguration(host: place.host, port: place.port, tls: apns.tls)
            configuration.connections = apns.connections
            return APNsSender(
                configuration: configuration, providerTokens: providerTokens, source: source, loop: loop,
                resolver: resolver, log: log, metrics: metrics)
        }
    }
}

package import ReveilleAPNs
package import ReveilleCore
internal import ReveilleInbox
package import ReveilleNetwork
package import ReveilleStorage
package import ReveilleTLS
package import ReveilleTelemetry

/// Everything the home server needs to know at its start, checked completely.
///
/// Certificates and keys stand here as what they are used as, not as texts: what could be read can be used.
package struct HomeSettings: Sendable {
    package var listen: SocketAddress
    /// The server's certificate and key, ready for connections; nil for plain HTTP.
    package var tls: TLSContext?
    package var store: StoreSettings
    package var apns: APNsSettings?
    package var apps: AppRegistry
    package var categories: CategoryRegistry
    package var leaseSeconds: Int
    package var devicesPerProfile: Int
    package var postsPerSecond: Int
    package var allowedOrigins: Set<String>
    package var threads: Int
    package var drainSeconds: Int
    package var logLevel: LogLevel
    package var retention: Retention
    /// Things that work but deserve a word at the start.
    package var warnings: [String]

    /// Where APNs is and with which key it is used.
    package struct APNsSettings: Sendable {
        package let credential: APNsCredential
        package let production: ProviderAddress
        package let sandbox: ProviderAddress
        /// Which authorities are trusted, ready for connections.
        package let tls: TLSContext
        package let connections: Int
    }

    /// The providers to whose devices nothing can be sent: no wakes are made for them.
    package var providersOff: Set<ProviderKind> {
        apns == nil ? Set(ProviderKind.allCases) : [.fcm, .webPush, .unifiedPush]
    }

    /// Reads all settings from `source` or throws every problem at once.
    package static func read(_ source: SettingsSource) throws(SettingsError) -> HomeSettings {
        var reader = SettingsReader(source)
        typealias Table = HomeSettingDefinitions
        for name in source.unknownVariables(known: Table.all) {
            reader.addProblem("\(name) is no setting; see 'reveille serve --help' for the names")
        }
        let listen = readAddress(Table.listen, &reader)
        let tls = readTLS(&reader)
        let store = StoreSettings.read(&reader)
        let apps = readApps(&reader)
        let apns = readAPNs(&reader)
        let categories = readCategories(&reader)
        let level = reader.text(Table.logLevel).flatMap(LogLevel.init(rawValue:))
        if level == nil {
            reader.addProblem(
                "\(reader.place(Table.logLevel)) must be one of: debug, info, notice, warning, error")
        }
        var retention = Retention()
        retention.acceptedWakes = Int64(reader.integer(Table.keepAccepted, in: 1...3_650)) * 86_400
        retention.failedWakes = Int64(reader.integer(Table.keepFailed, in: 1...3_650)) * 86_400
        retention.readDeliveries = Int64(reader.integer(Table.keepRead, in: 1...3_650)) * 86_400
        retention.unreadDeliveries = Int64(reader.integer(Table.keepUnread, in: 1...3_650)) * 86_400
        let leaseSeconds = reader.integer(Table.leaseSeconds, in: 1...3_600)
        let devicesPerProfile = reader.integer(Table.devicesPerProfile, in: 1...10_000)
        let postsPerSecond = reader.integer(Table.postsPerSecond, in: 0...1_000_000)
        let allowedOrigins = readOrigins(&reader)
        let threads = reader.integer(Table.threads, in: 1...64)
        let drainSeconds = reader.integer(Table.drainSeconds, in: 0...600)
        try reader.finish()
        guard let listen, let store, let level else {
            throw SettingsError(problems: ["the settings cannot be read"])
        }
        return HomeSettings(
            listen: listen, tls: tls, store: store, apns: apns, apps: AppRegistry(apps),
            categories: CategoryRegistry(categories), leaseSeconds: leaseSeconds,
            devicesPerProfile: devicesPerProfile, postsPerSecond: postsPerSecond, allowedOrigins: allowedOrigins,
            threads: threads,
            drainSeconds: drainSeconds, logLevel: level, retention: retention,
            warnings: reader.warnings)
    }
}

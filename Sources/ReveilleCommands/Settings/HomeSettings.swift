package import ReveilleBytes
package import ReveilleCore
package import ReveilleCrypto
package import ReveilleNetwork
package import ReveilleStorage
package import ReveilleTelemetry

/// Everything the home server needs to know at its start, checked completely.
package struct HomeSettings: Sendable {
    package var listen: SocketAddress
    package var tls: TLSFiles?
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

    /// The PEM texts of a TLS server.
    package struct TLSFiles: Sendable {
        package let certificateChain: String
        package let privateKey: SecretText
    }

    /// Where APNs is and with which key it is used.
    package struct APNsSettings: Sendable {
        package let teamID: String
        package let keyID: String
        package let key: P256PrivateKey
        package let production: ProviderAddress
        package let sandbox: ProviderAddress
        /// An additional certificate authority, PEM.
        package let authority: String?
        package let connections: Int
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
        let apns = readAPNs(&reader, hasApps: !apps.isEmpty)
        let categories = reader.list(Table.visibleCategories).map {
            Category(name: $0, alert: .visible)
        }
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

    private static func readAddress(
        _ setting: SettingDefinition, _ reader: inout SettingsReader
    ) -> SocketAddress? {
        guard let text = reader.text(setting), let address = SocketAddress(parsing: text) else {
            reader.addProblem(
                "\(reader.place(setting)) must be an address and port, such as 127.0.0.1:7780 or "
                    + "[::1]:7780")
            return nil
        }
        return address
    }

    private static func readTLS(_ reader: inout SettingsReader) -> TLSFiles? {
        typealias Table = HomeSettingDefinitions
        switch (reader.has(Table.tlsCertificate), reader.has(Table.tlsKey)) {
        case (false, false): return nil
        case (true, false):
            reader.addProblem("\(Table.tlsKey.variable) is missing: a certificate needs its key")
            return nil
        case (false, true):
            reader.addProblem("\(Table.tlsCertificate.variable) is missing: a key needs its certificate")
            return nil
        case (true, true): break
        }
        guard let chain = reader.file(Table.tlsCertificate, secret: false),
            let key = reader.file(Table.tlsKey, secret: true)
        else { return nil }
        return TLSFiles(certificateChain: chain.text, privateKey: SecretText(key.text))
    }

    private static func readOrigins(_ reader: inout SettingsReader) -> Set<String> {
        let setting = HomeSettingDefinitions.allowedOrigins
        var origins: Set<String> = []
        for entry in reader.list(setting) {
            let rest = entry.hasPrefix("https://") ? entry.dropFirst(8) : entry.dropFirst(7)
            guard entry.hasPrefix("https://") || entry.hasPrefix("http://"), !rest.isEmpty, !rest.contains("/") else {
                reader.addProblem(
                    "\(reader.place(setting)): an origin is a scheme and host without a path, such as "
                        + "https://app.example.org")
                continue
            }
            origins.insert(entry)
        }
        return origins
    }

    private static func readApps(_ reader: inout SettingsReader) -> [App] {
        let setting = HomeSettingDefinitions.apps
        let place = reader.place(setting)
        var apps: [App] = []
        for entry in reader.list(setting) {
            do {
                apps.append(try AppEntry.parse(entry))
            } catch {
                reader.addProblem("\(place): \(error.message)")
            }
        }
        return apps
    }

    private static func readAPNs(_ reader: inout SettingsReader, hasApps: Bool) -> APNsSettings? {
        enum Provider: String, CaseIterable { case off, custom_apns }
        guard let provider = reader.choice(HomeSettingDefinitions.applePush, Provider.self) else {
            return nil
        }
        switch provider {
        case .off:
            APNsSettings.warnWhenUnused(&reader)
            return nil
        case .custom_apns:
            return APNsSettings.read(&reader, hasApps: hasApps)
        }
    }
}

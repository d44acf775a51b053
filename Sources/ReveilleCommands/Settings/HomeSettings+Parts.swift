internal import ReveilleBytes
internal import ReveilleCore
internal import ReveilleInbox
internal import ReveilleNetwork
internal import ReveilleTLS

/// The settings that are more than a number or a word.
extension HomeSettings {
    static func readAddress(_ setting: SettingDefinition, _ reader: inout SettingsReader) -> SocketAddress? {
        guard let text = reader.text(setting), let address = SocketAddress(parsing: text) else {
            reader.addProblem(
                "\(reader.place(setting)) must be an address and port, such as 127.0.0.1:7780 or "
                    + "[::1]:7780")
            return nil
        }
        return address
    }

    /// The certificate with its key; each file is looked at, also when the other one is missing or wrong.
    static func readTLS(_ reader: inout SettingsReader) -> TLSContext? {
        let certificate = HomeSettingDefinitions.tlsCertificate
        let key = HomeSettingDefinitions.tlsKey
        guard reader.has(certificate) || reader.has(key) else { return nil }
        if !reader.has(key) { reader.addProblem("\(key.variable) is missing: a certificate needs its key") }
        if !reader.has(certificate) {
            reader.addProblem("\(certificate.variable) is missing: a key needs its certificate")
        }
        let chain = reader.file(certificate, secret: false)
        let secret = reader.file(key, secret: true)
        if let chain, !TLSContext.canUse(authority: chain.text) {
            reader.addProblem(
                "\(reader.place(certificate)): \(chain.path) holds no certificate in PEM form; give the server's certificate, "
                    + "then those above it")
            return nil
        }
        guard let chain, let secret else { return nil }
        do throws(TLSError) {
            return try TLSContext(
                server: TLSServerConfiguration(
                    certificateChainPEM: chain.text, privateKeyPEM: SecretText(secret.text),
                    alpn: HTTPServer.applicationProtocols))
        } catch {
            reader.addProblem(
                "\(reader.place(key)): \(secret.path) is not the key of the certificate \(chain.path), or is no private key in "
                    + "PEM form without a passphrase (\(error))")
            return nil
        }
    }

    static func readOrigins(_ reader: inout SettingsReader) -> Set<String> {
        let setting = HomeSettingDefinitions.allowedOrigins
        var origins: Set<String> = []
        for entry in reader.list(setting) {
            if let problem = WebOrigin.problem(entry) {
                reader.addProblem("\(reader.place(setting)): '\(entry.prefix(100))' \(problem)")
            }
            origins.insert(entry)
        }
        return origins
    }

    static func readApps(_ reader: inout SettingsReader) -> [App] {
        let setting = HomeSettingDefinitions.apps
        let place = reader.place(setting)
        var apps: [App] = []
        for entry in reader.list(setting) {
            do throws(UsageError) {
                let app = try AppEntry.parse(entry)
                if apps.contains(where: { $0.identifier == app.identifier }) {
                    reader.addProblem("\(place): '\(app.identifier)' stands there twice; keep one")
                }
                apps.append(app)
            } catch {
                reader.addProblem("\(place): \(error.message)")
            }
        }
        return apps
    }

    static func readCategories(_ reader: inout SettingsReader) -> [Category] {
        let setting = HomeSettingDefinitions.visibleCategories
        let names = reader.list(setting)
        for name in names {
            do throws(InboxError) {
                try FieldRules.category(name)
            } catch {
                reader.addProblem(
                    "\(reader.place(setting)): '\(name.prefix(70))' is no category: it \(error.explanation.map { "\($0)" } ?? "breaks a rule")"
                )
            }
        }
        return names.map { Category(name: $0, alert: .visible) }
    }

    static func readAPNs(_ reader: inout SettingsReader) -> APNsSettings? {
        enum Provider: String, CaseIterable { case off, custom_apns }
        guard let provider = reader.choice(HomeSettingDefinitions.applePush, Provider.self) else {
            return nil
        }
        switch provider {
        case .off:
            APNsSettings.warnWhenUnused(&reader)
            return nil
        case .custom_apns:
            return APNsSettings.read(&reader)
        }
    }
}

extension TLSContext {
    /// Whether a text holds certificates that can be read.
    static func canUse(authority: String) -> Bool {
        (try? TLSContext(client: TLSClientConfiguration(extraAuthorityPEM: authority, trustsSystemRoots: false))) != nil
    }
}

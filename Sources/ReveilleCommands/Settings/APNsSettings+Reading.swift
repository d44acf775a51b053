internal import ReveilleAPNs
internal import ReveilleCrypto
internal import ReveilleNetwork
internal import ReveilleTLS

extension HomeSettings.APNsSettings {
    /// Reads what sending with an own key needs; a missing or wrong part is a problem, never a guess.
    static func read(_ reader: inout SettingsReader) -> Self? {
        typealias Table = HomeSettingDefinitions
        let because = "sending with an own APNs key needs it"
        let team = identifier(Table.apnsTeamID, because, &reader)
        let keyID = identifier(Table.apnsKeyID, because, &reader)
        let key = readKey(&reader)
        if !reader.has(Table.apps) {
            reader.addProblem("\(Table.apps.variable) is missing: without an app nothing can be woken")
        }
        readOneEnvironment(&reader)
        let production = readURL(Table.apnsProductionURL, &reader)
        let sandbox = readURL(Table.apnsSandboxURL, &reader)
        let tls = readTLS(&reader)
        let connections = reader.integer(Table.apnsConnections, in: 1...32)
        guard let team, let keyID, let key, let production, let sandbox, let tls else { return nil }
        do throws(APNsCredentialError) {
            return Self(
                credential: try APNsCredential(teamID: team, keyID: keyID, key: key), production: production,
                sandbox: sandbox, tls: tls, connections: connections)
        } catch {
            reader.addProblem("\(reader.place(Table.apnsKeyID)): \(error.rawValue)")
            return nil
        }
    }

    /// What connections to APNs trust: the system's authorities, and the operator's.
    static func clientTLS(authority: String?) throws(TLSError) -> TLSContext {
        try TLSContext(
            client: TLSClientConfiguration(
                alpn: [HTTP2ClientConnection.protocolName], extraAuthorityPEM: authority))
    }

    private static func readTLS(_ reader: inout SettingsReader) -> TLSContext? {
        let setting = HomeSettingDefinitions.apnsAuthorityFile
        let file = reader.has(setting) ? reader.file(setting, secret: false) : nil
        if reader.has(setting), file == nil { return nil }
        do throws(TLSError) {
            return try clientTLS(authority: file?.text)
        } catch {
            let place = file.map { "\(reader.place(setting)): \($0.path)" } ?? "the system's certificates"
            reader.addProblem("\(place) holds no certificate of an authority in PEM form (\(error))")
            return nil
        }
    }

    /// Servers that send everything to one environment say so; here the word is checked, and worth one of ours when it would
    /// have changed something.
    private static func readOneEnvironment(_ reader: inout SettingsReader) {
        enum Word: String, CaseIterable { case `true`, `false` }
        let setting = HomeSettingDefinitions.apnsProduction
        switch reader.choice(setting, Word.self) {
        case .true, nil: break
        case .false:
            reader.addWarning(
                "\(reader.place(setting)) is false, which decides nothing here: a device of a development build must "
                    + "register with the environment 'sandbox'")
        }
    }

    /// Credentials that nothing uses are worth a word: somebody expected pushes.
    static func warnWhenUnused(_ reader: inout SettingsReader) {
        typealias Table = HomeSettingDefinitions
        let given = [Table.apnsTeamID, Table.apnsKeyID, Table.apnsKeyFile, Table.apnsKey]
            .filter { reader.has($0) }
        if let first = given.first {
            reader.addWarning(
                "\(reader.place(first)) is set, but \(Table.applePush.variable) is off: no Apple "
                    + "device is woken; set it to custom_apns")
        }
    }

    private static func identifier(
        _ setting: SettingDefinition, _ because: String, _ reader: inout SettingsReader
    ) -> String? {
        guard let text = reader.required(setting, because: because) else { return nil }
        let isValid =
            text.utf8.count == 10
            && text.utf8.allSatisfy { octet in
                switch octet {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
                default: false
                }
            }
        guard isValid else {
            reader.addProblem(
                "\(reader.place(setting)) must be 10 capital letters and digits, as Apple shows it")
            return nil
        }
        return text
    }

    private static func readKey(_ reader: inout SettingsReader) -> P256PrivateKey? {
        typealias Table = HomeSettingDefinitions
        let place: String
        let text: String
        switch (reader.has(Table.apnsKeyFile), reader.has(Table.apnsKey)) {
        case (true, true):
            reader.addProblem(
                "\(reader.place(Table.apnsKeyFile)) and \(reader.place(Table.apnsKey)) are both set; "
                    + "give one")
            return nil
        case (false, false):
            reader.addProblem(
                "\(Table.apnsKeyFile.variable) is missing: sending with an own APNs key needs the .p8 "
                    + "file")
            return nil
        case (true, false):
            guard let file = reader.file(Table.apnsKeyFile, secret: true) else { return nil }
            (place, text) = ("\(reader.place(Table.apnsKeyFile)): \(file.path)", file.text)
        case (false, true):
            guard let value = reader.text(Table.apnsKey) else { return nil }
            (place, text) = (reader.place(Table.apnsKey), value)
        }
        do {
            return try P256PrivateKey(pem: text)
        } catch {
            reader.addProblem("\(place): \(error)")
            return nil
        }
    }

    private static func readURL(
        _ setting: SettingDefinition, _ reader: inout SettingsReader
    ) -> ProviderAddress? {
        guard let text = reader.text(setting), let address = ProviderAddress(parsing: text) else {
            reader.addProblem(
                "\(reader.place(setting)) must be https://host or https://host:port, without a path")
            return nil
        }
        return address
    }
}

internal import ReveilleCrypto

extension HomeSettings.APNsSettings {
    /// Reads what sending with an own key needs; a missing or wrong part is a problem, never a guess.
    static func read(_ reader: inout SettingsReader, hasApps: Bool) -> Self? {
        typealias Table = HomeSettingDefinitions
        let because = "sending with an own APNs key needs it"
        let team = identifier(Table.apnsTeamID, because, &reader)
        let keyID = identifier(Table.apnsKeyID, because, &reader)
        let key = readKey(&reader)
        if !hasApps {
            reader.addProblem("\(Table.apps.variable) is missing: without an app nothing can be woken")
        }
        readOneEnvironment(&reader)
        let production = readURL(Table.apnsProductionURL, &reader)
        let sandbox = readURL(Table.apnsSandboxURL, &reader)
        let authority =
            reader.has(Table.apnsAuthorityFile)
            ? reader.file(Table.apnsAuthorityFile, secret: false)?.text : nil
        let connections = reader.integer(Table.apnsConnections, in: 1...32)
        guard let team, let keyID, let key, let production, let sandbox else { return nil }
        return Self(
            teamID: team, keyID: keyID, key: key, production: production, sandbox: sandbox,
            authority: authority, connections: connections)
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

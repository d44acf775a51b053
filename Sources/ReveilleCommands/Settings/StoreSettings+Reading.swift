internal import ReveilleBytes

extension StoreSettings {
    /// Reads the settings of the store and checks what they lead to, without making anything.
    ///
    /// The same checks are made again when the store is opened, so that a check and a start cannot come to different ends.
    static func read(_ reader: inout SettingsReader) -> StoreSettings? {
        typealias Table = HomeSettingDefinitions
        let folder = reader.text(Table.dataFolder) ?? ""
        let folderProblem = DataFolder.problem(folder)
        if let folderProblem { reader.addProblem("\(reader.place(Table.dataFolder)): \(folder) \(folderProblem)") }
        guard let settings = readKeyPlace(&reader, folder: folder) else { return nil }
        if let file = settings.keyFile, !folder.isEmpty, DataFolder.holds(file, folder: folder) {
            reader.addProblem(
                "\(keyPlace(settings, reader)): the master key must not lie in the data folder, or a copy of the folder "
                    + "would hold both; move it elsewhere")
        } else if folderProblem == nil {
            if let problem = settings.databaseProblem {
                reader.addProblem("\(reader.place(Table.dataFolder)): \(problem)")
                return settings
            }
            do throws(MasterKeyProblem) {
                _ = try settings.findKeys()
            } catch {
                reader.addProblem("\(keyPlace(settings, reader)): \(error.reason)")
            }
        }
        return settings
    }

    /// Where the key comes from; nil when nothing or too much was said.
    private static func readKeyPlace(_ reader: inout SettingsReader, folder: String) -> StoreSettings? {
        typealias Table = HomeSettingDefinitions
        let file = reader.text(Table.masterKeyFile)
        let key = reader.text(Table.masterKey)
        switch (file, key) {
        case (.some, .some):
            reader.addProblem(
                "\(reader.place(Table.masterKeyFile)) and \(reader.place(Table.masterKey)) are both set; give one")
            return nil
        case (let file?, nil): return StoreSettings(folder: folder, keyFile: file, key: nil)
        case (nil, let key?): return StoreSettings(folder: folder, keyFile: nil, key: SecretText(key))
        case (nil, nil): break
        }
        guard let credentials = reader.variable("CREDENTIALS_DIRECTORY"), !credentials.isEmpty else {
            reader.addProblem(
                "\(Table.masterKeyFile.variable) is missing: name a file outside the data folder; it is made for an empty store"
            )
            return nil
        }
        return StoreSettings(
            folder: folder, keyFile: "\(credentials)/\(credentialName)", key: nil, mayMakeKeyFile: false)
    }

    private static func keyPlace(_ settings: StoreSettings, _ reader: SettingsReader) -> String {
        if settings.key != nil { return reader.place(HomeSettingDefinitions.masterKey) }
        return settings.mayMakeKeyFile
            ? reader.place(HomeSettingDefinitions.masterKeyFile) : "the systemd credential '\(credentialName)'"
    }
}

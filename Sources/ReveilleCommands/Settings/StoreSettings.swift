package import ReveilleBytes

/// Where the store is and where its master key comes from.
package struct StoreSettings: Sendable {
    /// The data folder.
    package var folder: String
    /// The file of the master key, outside the data folder.
    package var keyFile: String?
    /// The master key itself, from the environment.
    package var key: SecretText?

    /// Names the places.
    package init(folder: String, keyFile: String?, key: SecretText?) {
        self.folder = folder
        self.keyFile = keyFile
        self.key = key
    }

    /// The name of the systemd credential that is used when nothing else is given.
    static let credentialName = "reveille-master-key"

    /// The database file.
    var databasePath: String { folder + "/reveille.db" }

    /// Reads the settings of the store.
    static func read(_ reader: inout SettingsReader) -> StoreSettings? {
        typealias Table = HomeSettingDefinitions
        guard let folder = reader.text(Table.dataFolder) else { return nil }
        let file = reader.text(Table.masterKeyFile)
        let key = reader.text(Table.masterKey)
        if let file, file.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/") {
            reader.addProblem(
                "\(reader.place(Table.masterKeyFile)): the master key must not lie in the data folder, or a copy of the "
                    + "folder would hold both")
        }
        if file != nil, key != nil {
            reader.addProblem(
                "\(reader.place(Table.masterKeyFile)) and \(reader.place(Table.masterKey)) are both set; give one")
        }
        let credentials = reader.variable("CREDENTIALS_DIRECTORY")
        guard file != nil || key != nil || credentials != nil else {
            reader.addProblem(
                "\(Table.masterKeyFile.variable) is missing: name a file outside the data folder; it is made for an empty store"
            )
            return nil
        }
        let fromCredential = file == nil && key == nil ? credentials.map { "\($0)/\(credentialName)" } : nil
        return StoreSettings(folder: folder, keyFile: file ?? fromCredential, key: key.map(SecretText.init))
    }
}

package import ReveilleBytes

/// Where the store is and where its master key comes from.
package struct StoreSettings: Sendable {
    /// The data folder.
    package var folder: String
    /// The file of the master key, outside the data folder.
    package var keyFile: String?
    /// The master key itself, from the environment.
    package var key: SecretText?
    /// Whether the file may be made when there is neither a store nor the file; a credential of systemd may not.
    package var mayMakeKeyFile: Bool

    /// Names the places.
    package init(folder: String, keyFile: String?, key: SecretText?, mayMakeKeyFile: Bool = true) {
        self.folder = folder
        self.keyFile = keyFile
        self.key = key
        self.mayMakeKeyFile = mayMakeKeyFile
    }

    /// The name of the systemd credential that is used when nothing else is given.
    static let credentialName = "reveille-master-key"

    /// The database file.
    var databasePath: String { folder + "/reveille.db" }
}

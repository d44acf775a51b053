internal import Glibc
internal import ReveilleBytes
internal import ReveilleCore
internal import ReveilleSQLite
internal import ReveilleStorage
internal import ReveilleStorageSQLite
internal import ReveilleTelemetry

/// Opens the store as the settings say: makes folder and master key for a new one, and says what is wrong otherwise.
enum StoreOpener {
    /// Opens the store of a home server.
    static func open(
        _ settings: HomeSettings, log: Log, faults: FaultInjectingVFS? = nil
    ) async throws -> SQLiteHomeStore {
        var options = StoreOptions()
        options.faults = faults
        options.leaseSeconds = Int64(settings.leaseSeconds)
        options.deviceLimitPerProfile = settings.devicesPerProfile
        return try await open(settings.store, apps: settings.apps, options: options, log: log)
    }

    /// Opens the store for a command, does the work and closes it.
    static func withStore(
        _ invocation: Invocation, _ body: (SQLiteHomeStore) async throws -> ExitStatus
    ) async throws -> ExitStatus {
        var reader = SettingsReader(try SettingsSource.gather(invocation))
        let settings = StoreSettings.read(&reader)
        try reader.finish()
        guard let settings else { throw SettingsError(problems: reader.problems) }
        let store = try await open(settings, apps: AppRegistry([]), options: StoreOptions(), log: .silent)
        do {
            let status = try await body(store)
            await store.close()
            return status
        } catch {
            await store.close()
            throw error
        }
    }

    private static func open(
        _ settings: StoreSettings, apps: AppRegistry, options: StoreOptions, log: Log
    ) async throws -> SQLiteHomeStore {
        try makeFolder(settings.folder)
        let keys = try masterKeys(settings)
        do {
            return try await SQLiteHomeStore.open(
                path: settings.databasePath, masterKeys: keys, apps: apps, options: options, log: log)
        } catch let error where error.code == .wrongKey {
            throw CommandFailure(wrongKey(error, keys, settings), status: .usage)
        }
    }

    private static func makeFolder(_ folder: String) throws(CommandFailure) {
        if mkdir(folder, 0o700) == 0 { return }
        let number = errno
        if number != EEXIST {
            throw CommandFailure(
                "the data folder \(folder) cannot be made: \(String(cString: strerror(number)).lowercased())",
                status: .usage)
        }
    }

    /// The keys of the settings; a key is made only for an empty store.
    private static func masterKeys(_ settings: StoreSettings) throws -> MasterKeys {
        if let text = settings.key {
            guard let key = MasterKey(text: text) else {
                throw SettingsError(problems: [
                    "\(HomeSettingDefinitions.masterKey.variable) must be 64 hexadecimal digits; 'reveille keys make-master' makes one"
                ])
            }
            return MasterKeys(current: key)
        }
        guard let path = settings.keyFile else {
            throw SettingsError(problems: ["\(HomeSettingDefinitions.masterKeyFile.variable) is missing"])
        }
        if access(path, F_OK) == 0 { return try MasterKeyFile.read(path) }
        guard try SQLiteHomeStore.isEmpty(path: settings.databasePath) else {
            throw CommandFailure(
                "the master key file \(path) is missing, and \(settings.databasePath) was made with one; put the file back "
                    + "from where you keep a copy", status: .usage)
        }
        let keys = MasterKeys(current: .generate())
        try MasterKeyFile.write(keys, to: path)
        return keys
    }

    private static func wrongKey(_ error: StoreError, _ keys: MasterKeys, _ settings: StoreSettings) -> String {
        "the master key (check value \(keys.current.checkValue)) is not the one that \(settings.databasePath) was made with "
            + "(check value \(error.keys?.needed.first ?? "unknown")); point "
            + "\(HomeSettingDefinitions.masterKeyFile.variable) at the right file"
    }
}

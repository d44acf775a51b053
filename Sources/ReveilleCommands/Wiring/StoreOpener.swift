internal import Glibc
internal import ReveilleBytes
package import ReveilleCore
internal import ReveilleSQLite
package import ReveilleStorage
package import ReveilleStorageSQLite
package import ReveilleTelemetry

/// Opens the store as the settings say: makes folder and master key for a new one, and says what is wrong otherwise.
package enum StoreOpener {
    /// Opens the store of a home server.
    static func open(
        _ settings: HomeSettings, log: Log, faults: FaultInjectingVFS? = nil
    ) async throws -> SQLiteHomeStore {
        var options = StoreOptions()
        options.faults = faults
        options.leaseSeconds = Int64(settings.leaseSeconds)
        options.deviceLimitPerProfile = settings.devicesPerProfile
        options.providersOff = settings.providersOff
        return try await open(settings.store, apps: settings.apps, options: options, log: log)
    }

    /// What a command does where there is no store yet.
    enum Absence {
        /// It makes one.
        case makesOne
        /// It says so: a mistyped folder must not become an empty store.
        case isRefused
    }

    /// Opens the store for a command, does the work and closes it.
    static func withStore(
        _ invocation: Invocation, absence: Absence = .isRefused, _ body: (SQLiteHomeStore) async throws -> ExitStatus
    ) async throws -> ExitStatus {
        var reader = SettingsReader(SettingsSource.gather(invocation))
        let settings = StoreSettings.read(&reader)
        try reader.finish()
        guard let settings else { throw SettingsError(problems: reader.problems) }
        switch absence {
        case .makesOne: break
        case .isRefused: try requireStore(settings)
        }
        let store = try await open(settings, apps: AppRegistry([]), options: commandOptions, log: .silent)
        return try await store.closing(after: body)
    }

    /// Opens the store that is there with `keys`, does the work and closes it.
    static func withStore<Result>(
        _ settings: StoreSettings, keys: MasterKeys, _ body: (SQLiteHomeStore) async throws -> Result
    ) async throws -> Result {
        try requireStore(settings)
        let store = try await open(settings, keys: keys, apps: AppRegistry([]), options: commandOptions, log: .silent)
        return try await store.closing(after: body)
    }

    /// A running server takes a new master key itself, when it has read it: a command must not do so before it.
    private static var commandOptions: StoreOptions {
        var options = StoreOptions()
        options.keyIntroduction = .whenAlone
        return options
    }

    /// How the key is read again while the store is open; nil when the key came from the environment, which is read once.
    private static func rereading(_ settings: StoreSettings) -> (@Sendable () -> MasterKeys?)? {
        guard settings.key == nil, let path = settings.keyFile else { return nil }
        // What is wrong with the file is said by `KeyWatch`, which looks at it too.
        return { try? MasterKeyFile.read(path) }
    }

    private static func requireStore(_ settings: StoreSettings) throws {
        let number = access(settings.databasePath, F_OK) == 0 ? 0 : errno
        guard [0, ENOENT, ENOTDIR].contains(number) else {
            throw CommandFailure(
                "the data folder \(settings.folder) cannot be looked into: \(SystemWords.of(number))", status: .usage)
        }
        if let problem = settings.databaseProblem { throw CommandFailure(problem, status: .usage) }
        guard try !SQLiteHomeStore.isEmpty(path: settings.databasePath) else {
            let setting = HomeSettingDefinitions.dataFolder
            throw CommandFailure(
                "there is no store in \(settings.folder); point \(setting.flag) or \(setting.variable) at the data "
                    + "folder, or make a store with 'reveille serve' or 'reveille producer create'", status: .usage)
        }
    }

    private static func open(
        _ settings: StoreSettings, apps: AppRegistry, options: StoreOptions, log: Log
    ) async throws -> SQLiteHomeStore {
        try makeFolder(settings.folder)
        // Before a key is made for a store that was there.
        if let problem = settings.databaseProblem { throw CommandFailure(problem, status: .usage) }
        return try await open(
            settings, readBefore: try masterKeys(settings), apps: apps, options: options, log: log)
    }

    /// Opens the store with keys that were read from the key file, or with those that stand there by now if it needs others.
    package static func open(
        _ settings: StoreSettings, readBefore keys: MasterKeys, apps: AppRegistry, options: StoreOptions, log: Log
    ) async throws -> SQLiteHomeStore {
        var options = options
        options.rereadMasterKeys = rereading(settings)
        return try await open(settings, keys: keys, apps: apps, options: options, log: log)
    }

    private static func open(
        _ settings: StoreSettings, keys: MasterKeys, apps: AppRegistry, options: StoreOptions, log: Log
    ) async throws -> SQLiteHomeStore {
        if let problem = settings.databaseProblem { throw CommandFailure(problem, status: .usage) }
        do throws(StoreError) {
            return try await SQLiteHomeStore.open(
                path: settings.databasePath, masterKeys: keys, apps: apps, options: knowing(keys, options), log: log)
        } catch {
            guard error.code == .wrongKey else { throw error }
            guard let present = otherKeys(than: keys, options) else {
                throw CommandFailure(wrongKey(error, keys, settings), status: .usage)
            }
            return try await open(settings, keys: present, apps: apps, options: options, log: log)
        }
    }

    /// The keys of the file when they are others by now: a rotation may come between the look into the file and that into the store.
    private static func otherKeys(than keys: MasterKeys, _ options: StoreOptions) -> MasterKeys? {
        guard let present = options.rereadMasterKeys?() else { return nil }
        return present.all.map(\.checkValue) == keys.all.map(\.checkValue) ? nil : present
    }

    /// A running server may take the new one of a command's keys into use while the command works.
    private static func knowing(_ keys: MasterKeys, _ options: StoreOptions) -> StoreOptions {
        guard options.rereadMasterKeys == nil else { return options }
        var options = options
        options.rereadMasterKeys = { keys }
        return options
    }

    private static func makeFolder(_ folder: String) throws(CommandFailure) {
        if let problem = DataFolder.problem(folder) {
            throw CommandFailure("the data folder \(folder) \(problem)", status: .usage)
        }
        if mkdir(folder, 0o700) == 0 { return }
        let number = errno
        if number != EEXIST {
            throw CommandFailure(
                "the data folder \(folder) cannot be made: \(SystemWords.of(number))", status: .usage)
        }
    }

    /// The keys of the settings; a key is made only for an empty store.
    private static func masterKeys(_ settings: StoreSettings) throws(CommandFailure) -> MasterKeys {
        let finding: StoreSettings.KeyFinding
        do throws(MasterKeyProblem) {
            finding = try settings.findKeys()
        } catch {
            throw CommandFailure(error.reason, status: .usage)
        }
        switch finding {
        case .found(let keys): return keys
        case .toBeMade(let path):
            let keys = MasterKeys(current: .generate())
            // Of several starts on an empty store one makes the key, and all use it.
            return try MasterKeyFile.write(keys, to: path, presence: .isKept) ? keys : try MasterKeyFile.read(path)
        }
    }

    private static func wrongKey(_ error: StoreError, _ keys: MasterKeys, _ settings: StoreSettings) -> String {
        let place = settings.keyFile.map { " in \($0)" } ?? ""
        return "the master key\(place) (check value \(keys.current.checkValue)) is not the one that "
            + "\(settings.databasePath) was made with (check value \(error.keys?.needed.first ?? "unknown")); point "
            + "\(HomeSettingDefinitions.masterKeyFile.variable) at the right file"
    }
}

internal import ReveilleCore
internal import ReveilleSQLite
internal import ReveilleStorage
internal import ReveilleTelemetry

/// Lets an open store follow a rotation of its master key, whoever made the new key the store's.
struct KeyFollowing {
    private let environment: StoreEnvironment

    init(_ environment: StoreEnvironment) {
        self.environment = environment
    }

    /// Takes the operator's keys anew when the store is at another generation than this process; inside a transaction.
    ///
    /// - Throws: `keyRotated` when the operator's keys do not hold the store's present one.
    func follow(_ connection: SQLiteConnection, generation: Int64) throws {
        guard generation != Int64(environment.keys.ring.generation) else { return }
        guard let keys = environment.options.rereadMasterKeys?() else { throw StoreError(.keyRotated) }
        do {
            environment.keys.replace(
                with: try KeyRegistry.match(keys, in: connection, mayIntroduce: false, now: 0))
        } catch let error as StoreError where error.code == .wrongKey {
            throw StoreError(.keyRotated, keys: error.keys)
        }
        logFollowed()
    }

    /// Looks in a read transaction whether the store is at another generation, and follows; false when it is not.
    func followAfterUnreadableValue(_ connection: SQLiteConnection) throws -> Bool {
        let before = environment.keys.revision
        try follow(connection, generation: try connection.integer("SELECT max(generation) FROM master_key"))
        return environment.keys.revision != before
    }

    /// The operator's keys when their present one is not the store's yet.
    func changedKeys() -> MasterKeys? {
        guard let keys = environment.options.rereadMasterKeys?(),
            keys.current.checkValue != environment.keys.ring.presentCheckValue
        else { return nil }
        return keys
    }

    /// Makes the operator's present key the store's, and seals the secrets of first use under it.
    func introduce(_ keys: MasterKeys, _ transaction: WriteTransaction) throws -> String {
        let ring = try KeyRegistry.match(
            keys, in: transaction.connection, mayIntroduce: true, now: transaction.now)
        let sealer = Sealer(keys: LiveKeys(ring), clock: environment.clock.wall, random: environment.random)
        _ = try SecretShelf.read(transaction.connection, sealer, random: environment.random)
        // Until the commit this process seals as before: the new key is not on disk yet.
        transaction.effects.afterCommit { [environment] in
            environment.keys.replace(with: ring)
            KeyFollowing(environment).logFollowed()
        }
        return keys.current.checkValue
    }

    private func logFollowed() {
        environment.log.notice("the store works with another master key now")
    }
}

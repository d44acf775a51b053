internal import ReveilleBytes
internal import ReveilleCore
internal import ReveilleRuntime
internal import ReveilleSQLite
internal import ReveilleStorage

/// The secrets of first use in the store.
enum SecretShelf {
    /// Draws the secrets that are missing and reads all of them, inside the caller's transaction; those sealed under a former
    /// master key are sealed anew.
    static func read(_ connection: SQLiteConnection, _ sealer: Sealer, random: any RandomSource) throws -> StoreSecrets
    {
        let find = try connection.prepare("SELECT value FROM secret WHERE id = ?1")
        let insert = try connection.prepare("INSERT INTO secret (id, value) VALUES (?1, ?2) ON CONFLICT DO NOTHING")
        let replace = try connection.prepare("UPDATE secret SET value = ?2 WHERE id = ?1")
        var secrets: [StoreSecrets.Name: SecretBytes] = [:]
        for name in StoreSecrets.Name.allCases {
            find.bind(1, name.rawValue)
            if try find.first({ _ in true }) == nil {
                insert.bind(1, name.rawValue)
                insert.bind(2, sealer.seal(random.bytes(StoreSecrets.octets), .secret, row: name.rawValue))
                try insert.run()
            }
            guard let sealed = try find.first({ $0.bytes(0) }) else { throw StoreError(.corrupt) }
            let secret = try sealer.open(sealed, .secret, row: name.rawValue)
            if sealer.isOutdated(sealed) {
                replace.bind(1, name.rawValue)
                replace.bind(2, sealer.seal(secret, .secret, row: name.rawValue))
                try replace.run()
            }
            secrets[name] = SecretBytes(secret)
        }
        guard let all = StoreSecrets(secrets) else { throw StoreError(.corrupt) }
        return all
    }
}

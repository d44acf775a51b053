internal import ReveilleBytes
internal import ReveilleCrypto
internal import ReveilleJSON
internal import ReveilleRuntime
internal import ReveilleSQLite

/// What the demo looks at behind the servers' backs.
extension DemoWorld {
    /// The octets of the database and its log.
    func databaseOctets() throws -> [UInt8] {
        var octets: [UInt8] = []
        for name in ["", "-wal"] {
            if let (bytes, _) = try? FileContents.read(databasePath + name) { octets += bytes }
        }
        return octets
    }

    /// The content of a notification as it stands in the database.
    func sealedContent(of notification: Int64) throws -> [UInt8]? {
        let connection = try SQLiteConnection(path: databasePath, access: .readOnly, busyMilliseconds: 1_000)
        let statement = try connection.prepare("SELECT content FROM notification WHERE id = ?1")
        statement.bind(1, notification)
        return try statement.first { $0.optionalBytes(0) } ?? nil
    }

    /// What a provider token says, once its signature was verified with the team's public key.
    func explain(authorization: String) throws -> String {
        let scheme = "bearer "
        guard authorization.hasPrefix(scheme) else { throw Demo.Unexpected("a request had no provider token") }
        do throws(JWTError) {
            let token = try JWT.verifyES256(String(authorization.dropFirst(scheme.count))) { _ in publicKey }
            let parts = [token.header, token.claims].map { String(decoding: $0.encoded(), as: UTF8.self) }
            return "bearer \(parts.joined(separator: ".")), signature verified"
        } catch {
            throw Demo.Unexpected("Apple saw a provider token that the team's key did not sign")
        }
    }

    /// Waits in real time, for a limit only.
    func patience(seconds: Int) async {
        // Cancelled when the wait is over.
        try? await timer.sleep(for: .seconds(seconds))
    }
}

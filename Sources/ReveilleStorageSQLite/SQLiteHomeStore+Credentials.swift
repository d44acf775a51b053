internal import ReveilleBytes
package import ReveilleCore
internal import ReveilleRuntime
package import ReveilleStorage

extension SQLiteHomeStore {
    package func createProducer(name: String) async throws(StoreError) -> ProducerRow? {
        try await writer.write { transaction in
            try CredentialTable(statements: transaction.statements).createProducer(name, now: transaction.now)
        }
    }

    package func producer(name: String) async throws(StoreError) -> ProducerRow? {
        try await readers.read { session in try CredentialTable(statements: session.statements).producer(name) }
    }

    package func producers() async throws(StoreError) -> [(row: ProducerRow, name: String)] {
        try await readers.read { session in try CredentialTable(statements: session.statements).producers() }
    }

    package func createToken(
        _ holder: CredentialHolder, scopes: Set<Scope>, label: String
    ) async throws(StoreError) -> (credential: CredentialRow, token: String) {
        let token =
            CredentialTexts.prefix(holder) + Base64URL.encode(environment.random.bytes(CredentialTexts.octets))
        let hash = secrets.credentialHash.hash(token)
        let row = try await writer.write { transaction in
            try CredentialTable(statements: transaction.statements)
                .insert(holder, hash: hash, scopes: scopes, label: label, now: transaction.now)
        }
        return (row, token)
    }

    package func credential(token: String) async throws(StoreError) -> Credential? {
        guard CredentialTexts.isToken(token) else { return nil }
        let hash = secrets.credentialHash.hash(token)
        if let kept = credentials.credential(hash: hash) { return kept }
        let generation = credentials.generation
        let found = try await readers.read { session in
            try CredentialTable(statements: session.statements).find(hash: hash)
        }
        if let found { credentials.keep(found, hash: hash, generation: generation) }
        return found
    }

    package func revoke(
        _ credential: CredentialRow, of holder: CredentialHolder
    ) async throws(StoreError) -> Bool {
        let cache = credentials
        return try await writer.write { transaction in
            transaction.effects.afterCommit { cache.forget(credential) }
            return try CredentialTable(statements: transaction.statements)
                .revoke(credential, of: holder, now: transaction.now)
        }
    }

    package func revoke(token: String) async throws(StoreError) -> Revocation {
        guard CredentialTexts.isToken(token) else { return .unknownToken }
        let hash = secrets.credentialHash.hash(token)
        let cache = credentials
        return try await writer.write { transaction in
            let (row, revocation) = try CredentialTable(statements: transaction.statements)
                .revoke(hash: hash, now: transaction.now)
            if let row { transaction.effects.afterCommit { cache.forget(row) } }
            return revocation
        }
    }

    package func isRevoked(_ credential: CredentialRow) async throws(StoreError) -> Bool {
        if let kept = credentials.isRevoked(credential) { return kept }
        let generation = credentials.generation
        let isRevoked = try await readers.read { session in
            try CredentialTable(statements: session.statements).isRevoked(credential)
        }
        credentials.keep(isRevoked: isRevoked, credential, generation: generation)
        return isRevoked
    }

    package func profile(_ name: String, of producer: ProducerRow) async throws(StoreError) -> ProfileRow {
        if let found = try await existingProfile(name, of: producer) { return found }
        return try await writer.write { transaction in
            try ProfileTable(statements: transaction.statements).make(name, of: producer, now: transaction.now)
        }
    }

    package func existingProfile(_ name: String, of producer: ProducerRow) async throws(StoreError) -> ProfileRow? {
        try await readers.read { session in
            try ProfileTable(statements: session.statements).find(name, of: producer)
        }
    }

    package func pushMode(of profile: ProfileRow) async throws(StoreError) -> PushMode {
        try await readers.read { session in
            try ProfileTable(statements: session.statements).pushMode(of: profile) ?? .privatePush
        }
    }

    package func setPushMode(_ mode: PushMode, of profile: ProfileRow) async throws(StoreError) {
        try await writer.write { transaction in try DeviceOperations(transaction).setPushMode(mode, of: profile) }
    }
}

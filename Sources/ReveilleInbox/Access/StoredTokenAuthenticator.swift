package import ReveilleBytes
package import ReveilleStorage

/// Knows the tokens that the store keeps hashes of: producers', profiles' and admins'.
package struct StoredTokenAuthenticator: Authenticator {
    /// A prefix and 32 octets in base64url are 47; nothing much longer is looked up.
    private static let maximumOctets = 64

    private let store: any CredentialStore

    /// Looks tokens up in `store`.
    package init(store: any CredentialStore) {
        self.store = store
    }

    package func authenticate(_ token: SecretText) async throws(InboxError) -> Authentication {
        let text = token.reveal()
        guard Self.hasForm(text) else { return .otherForm }
        guard text.utf8.count <= Self.maximumOctets else { return .refused }
        let found = try await translating { () throws(StoreError) in
            try await store.credential(token: text)
        }
        guard let found else { return .refused }
        switch found.holder {
        case .producer(let producer):
            return .caller(.producer(ProducerCaller(producer: producer, scopes: found.scopes)))
        case .profile(let profile):
            return .caller(
                .reader(
                    ReaderCaller(
                        profile: profile, credential: found.row,
                        signedInAtMilliseconds: found.createdAtMilliseconds, device: nil,
                        isDisplayToken: false)))
        case .admin:
            return .caller(.admin)
        }
    }

    private static func hasForm(_ text: String) -> Bool {
        text.hasPrefix(TokenPrefix.producer) || text.hasPrefix(TokenPrefix.profile)
            || text.hasPrefix(TokenPrefix.admin)
    }
}

package import ReveilleBytes
package import ReveilleCore
package import ReveilleStorage

/// Mints and revokes profile tokens for producers, and keeps profiles' preferences.
package struct ProfileDesk: Sendable {
    /// The longest label of a token, in octets.
    package static let maximumLabelOctets = 128

    private let store: any CredentialStore
    private let publicIDs: PublicIDs

    /// Keeps credentials in `store`.
    package init(store: any CredentialStore, publicIDs: PublicIDs) {
        self.store = store
        self.publicIDs = publicIDs
    }

    /// Mints a token for a profile of the producer; the profile is made when it does not exist.
    package func mint(
        _ profile: String, label: String, by caller: ProducerCaller
    ) async throws(InboxError) -> MintedToken {
        try FieldRules.profileID(profile)
        try FieldRule.line(label, "label")
        let row = try await translating { () throws(StoreError) in
            try await store.profile(profile, of: caller.producer)
        }
        let minted = try await translating { () throws(StoreError) in
            try await store.createToken(.profile(row), scopes: [], label: label)
        }
        return MintedToken(
            id: publicIDs.text(.credential, row: minted.credential.number), profileID: profile,
            token: SecretText(minted.token))
    }

    /// Revokes a token of a profile; nothing happens when there is none of that id.
    package func revoke(
        _ id: String, of profile: String, by caller: ProducerCaller
    ) async throws(InboxError) {
        try FieldRules.profileID(profile)
        guard let number = publicIDs.row(.credential, text: id) else { return }
        let row = try await translating { () throws(StoreError) in
            try await store.existingProfile(profile, of: caller.producer)
        }
        guard let row else { return }
        _ = try await translating { () throws(StoreError) in
            try await store.revoke(CredentialRow(number), of: .profile(row))
        }
    }

    /// The push mode of the caller's profile.
    package func pushMode(of caller: ReaderCaller) async throws(InboxError) -> PushMode {
        try await translating { () throws(StoreError) in
            try await store.pushMode(of: caller.profile)
        }
    }

    /// Sets the push mode of the caller's profile: a hard gate over its devices.
    package func setPushMode(
        _ mode: PushMode, of caller: ReaderCaller
    ) async throws(InboxError) {
        try await translating { () throws(StoreError) in
            try await store.setPushMode(mode, of: caller.profile)
        }
    }
}

/// A token that can be seen this once.
package struct MintedToken: Sendable {
    package let id: String
    package let profileID: String
    package let token: SecretText
}

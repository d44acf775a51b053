package import ReveilleBytes
package import ReveilleCore
package import ReveilleStorage

/// Lets callers in: who they are, what their credential opens, and how often they may come.
package struct AccessGate: Sendable {
    private let authenticators: [any Authenticator]
    private let devices: any DeviceStore
    private let publicIDs: PublicIDs
    private let limits: CallerLimits

    /// Asks `authenticators` in their order.
    package init(
        authenticators: [any Authenticator], devices: any DeviceStore, publicIDs: PublicIDs,
        limits: CallerLimits
    ) {
        self.authenticators = authenticators
        self.devices = devices
        self.publicIDs = publicIDs
        self.limits = limits
    }

    /// Admits a producer whose token has the right.
    package func producer(
        _ credentials: PresentedCredentials, having right: ProducerRight
    ) async throws(InboxError) -> ProducerCaller {
        switch try await caller(credentials) {
        case .producer(let caller):
            try limits.count(caller.producer)
            guard caller.scopes.contains(right.scope) else { throw InboxError(.missingScope) }
            return caller
        case .reader, .admin:
            throw InboxError(.wrongCredentialKind)
        }
    }

    /// Admits a profile, or one of its devices by its display token where that is enough.
    package func reader(
        _ credentials: PresentedCredentials, allowingDisplayTokens: Bool
    ) async throws(InboxError) -> ReaderCaller {
        switch try await caller(credentials) {
        case .reader(var caller):
            try limits.count(caller.profile)
            guard allowingDisplayTokens || !caller.isDisplayToken else {
                throw InboxError(.wrongCredentialKind)
            }
            caller.device = try await device(named: credentials.device, by: caller)
            return caller
        case .producer, .admin:
            throw InboxError(.wrongCredentialKind)
        }
    }

    /// Admits an admin.
    package func admin(_ credentials: PresentedCredentials) async throws(InboxError) -> AdminCaller {
        switch try await caller(credentials) {
        case .admin: return AdminCaller()
        case .producer, .reader: throw InboxError(.wrongCredentialKind)
        }
    }

    /// Refuses a credential that nobody has, as the other calls would; it counts failures only, and opens nothing.
    package func check(_ credentials: PresentedCredentials) async throws(InboxError) {
        _ = try await caller(credentials)
    }

    private func caller(_ credentials: PresentedCredentials) async throws(InboxError) -> Caller {
        switch credentials.bearer {
        case .none: throw InboxError(.missingCredential)
        case .malformed: throw try refusal(.invalidCredential, from: credentials.address)
        case .token(let token):
            guard (1...TokenPrefix.maximumTokenOctets).contains(token.utf8Count) else {
                throw try refusal(.invalidCredential, from: credentials.address)
            }
            for authenticator in authenticators {
                switch try await authenticator.authenticate(token) {
                case .caller(let caller): return caller
                case .refused: throw try refusal(.invalidCredential, from: credentials.address)
                case .expired: throw try refusal(.expiredCredential, from: credentials.address)
                case .otherForm: continue
                }
            }
            throw try refusal(.invalidCredential, from: credentials.address)
        }
    }

    /// A valid credential passes whatever its neighbours did: behind a proxy all clients share one
    /// address, and one of them must not lock out the rest.
    private func refusal(
        _ code: InboxErrorCode, from address: ClientAddress
    ) throws(InboxError) -> InboxError {
        try limits.countFailure(address)
        return InboxError(code)
    }

    /// The device that a request names; unknown ones and other profiles' look the same.
    private func device(
        named text: String?, by caller: ReaderCaller
    ) async throws(InboxError) -> DeviceRow? {
        guard let text else { return caller.device }
        guard
            let number = publicIDs.row(.device, text: text)
                ?? publicIDs.row(.serverDevice, text: text)
        else { throw InboxError(.foreignDevice) }
        let row = DeviceRow(number)
        if let own = caller.device {
            guard own == row else { throw InboxError(.foreignDevice) }
            return own
        }
        let found = try await translating { () throws(StoreError) in
            try await devices.device(row, of: caller.profile)
        }
        guard found != nil else { throw InboxError(.foreignDevice) }
        return row
    }
}

/// What a request shows to be let in.
package struct PresentedCredentials: Sendable {
    /// The content of the Authorization field.
    package enum Bearer: Sendable {
        /// There is no such field.
        case none
        /// It is repeated, empty or of another scheme.
        case malformed
        /// The token.
        case token(SecretText)
    }

    package let bearer: Bearer
    /// The `Reveille-Device` field.
    package let device: String?
    package let address: ClientAddress

    /// Gathers what a request shows.
    package init(bearer: Bearer, device: String?, address: ClientAddress) {
        self.bearer = bearer
        self.device = device
        self.address = address
    }
}

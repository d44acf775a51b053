package import ReveilleBytes
import ReveilleCore
package import ReveilleRuntime
package import ReveilleStorage

/// Knows display tokens: derived from a device's row and generation, so that they are kept nowhere.
///
/// One lives 90 days from the device's last registration and dies with the device, with a newer
/// generation, and with the profile token that registered it.
package struct DisplayTokenAuthenticator: Authenticator {
    private let tokens: DisplayTokens
    private let devices: any DeviceStore
    private let credentials: any CredentialStore
    private let clock: any WallClock

    /// Checks tokens against the devices of a store.
    package init(
        tokens: DisplayTokens, devices: any DeviceStore, credentials: any CredentialStore,
        clock: any WallClock
    ) {
        self.tokens = tokens
        self.devices = devices
        self.credentials = credentials
        self.clock = clock
    }

    package func authenticate(_ token: SecretText) async throws(InboxError) -> Authentication {
        let text = token.reveal()
        guard text.hasPrefix(TokenPrefix.display) else { return .otherForm }
        guard let named = tokens.open(text) else { return .refused }
        let found = try await translating { () throws(StoreError) in
            try await devices.device(named.device)
        }
        guard let device = found, device.generation == named.generation else { return .refused }
        if let credential = device.credential {
            let isRevoked = try await translating { () throws(StoreError) in
                try await credentials.isRevoked(credential)
            }
            if isRevoked { return .refused }
        }
        guard clock.now().milliseconds < device.displayTokenExpiryMilliseconds else {
            return .expired
        }
        return .caller(
            .reader(
                ReaderCaller(
                    profile: device.profile, credential: device.credential,
                    signedInAtMilliseconds: device.registeredAtMilliseconds, device: device.row,
                    isDisplayToken: true)))
    }
}

extension Device {
    /// When its display token ends, in milliseconds since 1970.
    var displayTokenExpiryMilliseconds: Int64 {
        registeredAtMilliseconds + Lifetime.displayTokenSeconds * 1_000
    }
}

package import ReveilleCore
package import ReveilleStorage

/// Who a credential stands for.
package enum Caller: Sendable {
    case producer(ProducerCaller)
    case reader(ReaderCaller)
    case admin
}

/// A server-side application with what its token allows.
package struct ProducerCaller: Sendable {
    package let producer: ProducerRow
    package let scopes: Set<Scope>

    /// Describes a producer's credential.
    package init(producer: ProducerRow, scopes: Set<Scope>) {
        self.producer = producer
        self.scopes = scopes
    }
}

/// A profile, perhaps through one of its devices.
package struct ReaderCaller: Sendable {
    package let profile: ProfileRow
    /// The token behind it; nil for a sign-in that the store does not keep.
    package let credential: CredentialRow?
    /// When the session signed in, in milliseconds since 1970.
    package let signedInAtMilliseconds: Int64
    /// The device that the request names: by its display token, or by a header that was checked.
    package var device: DeviceRow?
    /// True when only a display token was shown; it opens less than a profile's token.
    package let isDisplayToken: Bool

    /// Describes a reader.
    package init(
        profile: ProfileRow, credential: CredentialRow?, signedInAtMilliseconds: Int64,
        device: DeviceRow?, isDisplayToken: Bool
    ) {
        self.profile = profile
        self.credential = credential
        self.signedInAtMilliseconds = signedInAtMilliseconds
        self.device = device
        self.isDisplayToken = isDisplayToken
    }
}

/// Somebody who showed an admin's token; only the gate makes one.
package struct AdminCaller: Sendable {
    init() {}
}

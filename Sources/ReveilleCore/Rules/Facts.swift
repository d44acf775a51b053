/// What the store knows of a wake when a try of it ends.
package struct WakeFacts: Sendable {
    package var state: WakeState
    /// True when the lease of the try is still the wake's lease.
    package var leaseMatches: Bool
    /// True when the wake was made for the device's present version.
    package var deviceVersionMatches: Bool
    /// True when the token frozen in the request is the device's present one.
    package var tokenMatches: Bool
    /// True when it went to the environment that the device's row names.
    package var sentToDeviceEnvironment: Bool
    /// When the try began, in milliseconds since 1970.
    package var startedAtMilliseconds: Int64
    /// Tries that ended without settling it, the present one not counted.
    package var failures: Int64
    /// True when the try before this one ended in "renew credential".
    package var renewedCredentialBefore: Bool
    /// True when it is the one probe of a quarantined device.
    package var isProbe: Bool
    /// When its life ends, in milliseconds since 1970.
    package var expiresAtMilliseconds: Int64
    /// False for ten minutes after a jump of the wall clock (``ClockJump``).
    package var mayExpire: Bool

    /// Gathers the facts.
    package init(
        state: WakeState, leaseMatches: Bool, deviceVersionMatches: Bool, tokenMatches: Bool,
        sentToDeviceEnvironment: Bool, startedAtMilliseconds: Int64, failures: Int64, renewedCredentialBefore: Bool,
        isProbe: Bool, expiresAtMilliseconds: Int64, mayExpire: Bool = true
    ) {
        self.state = state
        self.leaseMatches = leaseMatches
        self.deviceVersionMatches = deviceVersionMatches
        self.tokenMatches = tokenMatches
        self.sentToDeviceEnvironment = sentToDeviceEnvironment
        self.startedAtMilliseconds = startedAtMilliseconds
        self.failures = failures
        self.renewedCredentialBefore = renewedCredentialBefore
        self.isProbe = isProbe
        self.expiresAtMilliseconds = expiresAtMilliseconds
        self.mayExpire = mayExpire
    }
}

/// What the store knows of the device of a wake.
package struct DeviceFacts: Sendable {
    package var state: DeviceState
    /// When the app last registered this token, in milliseconds since 1970.
    package var registeredAtMilliseconds: Int64
    /// True when the provider ever accepted this token in the environment of the row.
    package var environmentProven: Bool
    /// True when this token was already tried in the other environment.
    package var otherEnvironmentTried: Bool
    /// What the provider said about it before.
    package var evidence: DeviceEvidence
    /// For so long after its registration a "gone" is not believed, in milliseconds (``ProviderKind``).
    package var newcomerGraceMilliseconds: Int64

    /// Gathers the facts.
    package init(
        state: DeviceState, registeredAtMilliseconds: Int64, environmentProven: Bool,
        otherEnvironmentTried: Bool, evidence: DeviceEvidence, newcomerGraceMilliseconds: Int64 = 0
    ) {
        self.state = state
        self.registeredAtMilliseconds = registeredAtMilliseconds
        self.environmentProven = environmentProven
        self.otherEnvironmentTried = otherEnvironmentTried
        self.evidence = evidence
        self.newcomerGraceMilliseconds = newcomerGraceMilliseconds
    }
}

/// Days on which a provider spoke against a device since its last accepted wake or registration.
package struct DeviceEvidence: Hashable, Sendable {
    /// Days (UTC, since 1970) with a "gone", rising, at most three kept.
    package var goneDays: [Int64]
    /// Days with a "refused", rising, at most three kept.
    package var refusedDays: [Int64]

    /// No evidence.
    package static let none = DeviceEvidence(goneDays: [], refusedDays: [])

    /// Takes evidence that the store kept.
    package init(goneDays: [Int64], refusedDays: [Int64]) {
        self.goneDays = goneDays
        self.refusedDays = refusedDays
    }

    /// The days with one more, rising, the newest three.
    static func adding(_ day: Int64, to days: [Int64]) -> [Int64] {
        days.contains(day) ? days : Array((days + [day]).sorted().suffix(3))
    }
}

/// What the store knows of the lane, for one topic.
package struct LaneFacts: Sendable {
    /// When a wake was last accepted with this credential, topic and environment; nil when never.
    package var lastAcceptedMilliseconds: Int64?
    /// Devices of the lane's topic that can be woken or are quarantined.
    package var devices: Int64
    /// Devices it disabled today (UTC).
    package var disabledToday: Int64

    /// Gathers the facts.
    package init(lastAcceptedMilliseconds: Int64?, devices: Int64, disabledToday: Int64) {
        self.lastAcceptedMilliseconds = lastAcceptedMilliseconds
        self.devices = devices
        self.disabledToday = disabledToday
    }
}

package import ReveilleCore

/// The devices of profiles.
package protocol DeviceStore: Sendable {
    /// Registers or rotates a device: one owner per token or subscription, installation keys, newer sign-ins, verification
    /// before displacement. One transaction.
    func register(_ registration: DeviceRegistration) async throws(StoreError) -> RegistrationResult

    /// The devices of a profile, newest registration first.
    func devices(of profile: ProfileRow) async throws(StoreError) -> [Device]

    /// One device of a profile; nil when there is none of that row or it is another profile's.
    func device(_ row: DeviceRow, of profile: ProfileRow) async throws(StoreError) -> Device?

    /// The device with that row, whatever its profile; for credentials that name a device.
    func device(_ row: DeviceRow) async throws(StoreError) -> Device?

    /// Changes what is given; turning it off cancels its unsettled wakes and raises its version.
    /// Returns nil when the device is not the profile's.
    func update(
        _ row: DeviceRow, of profile: ProfileRow, _ change: DeviceUpdate
    ) async throws(StoreError) -> Device?

    /// Removes a device and cancels its unsettled wakes; idempotent. False when there was none.
    func remove(_ row: DeviceRow, of profile: ProfileRow) async throws(StoreError) -> Bool

    /// Completes a registration that waited for the code of a verification wake.
    func verify(
        _ row: DeviceRow, of profile: ProfileRow, code: String
    ) async throws(StoreError) -> VerificationResult

    /// An admin's word: enables a device again and gives it one catch-up wake.
    func enable(_ row: DeviceRow) async throws(StoreError) -> Bool

    /// Counts of devices, for capability and diagnostics.
    func deviceCounts() async throws(StoreError) -> DeviceCounts

    /// All devices of the store in pages, for the operator; no token is part of it.
    func allDevices(after row: DeviceRow?, limit: Int) async throws(StoreError) -> [Device]
}

/// A field of a request that may be left out, emptied or given.
package enum Given<Value: Sendable>: Sendable {
    case absent
    case empty
    case value(Value)
}

extension Given: Equatable where Value: Equatable {}

/// A request to register a device, checked.
package struct DeviceRegistration: Sendable {
    package var profile: ProfileRow
    /// When the session that registers signed in, in milliseconds since 1970.
    package var signedInAtMilliseconds: Int64
    /// The profile token that registers; its revocation ends the display token.
    package var credential: CredentialRow?
    package var app: App
    package var topic: String
    /// Over which lane it is woken.
    package var lane: LaneKey
    package var address: DeviceAddress
    /// Whether a new or changed address must prove itself with the code of a verification wake before it is woken.
    package var mustProveItself: Bool
    /// The app's own id of its install, at most 128 octets.
    package var installID: String
    /// 32 octets that the install keeps secret, with its rising generation.
    package var installationKey: [UInt8]?
    package var generation: Int64?
    package var os: DeviceOS
    package var name: Given<String>
    package var appVersion: String?
    package var locale: String?
    package var pushMode: PushMode?
    /// The categories it wants; absent keeps, empty resets to all, given replaces.
    package var categories: Given<[String]>
    /// The request's idempotency key, if any; a replay does not enable a disabled device.
    package var idempotencyKey: String?
    /// The code of the verification wake, when the app repeats the request with it.
    package var verificationCode: String?

    /// Gathers a registration.
    package init(
        profile: ProfileRow, signedInAtMilliseconds: Int64, credential: CredentialRow?, app: App,
        topic: String, lane: LaneKey, address: DeviceAddress, mustProveItself: Bool = false, installID: String,
        installationKey: [UInt8]?, generation: Int64?, os: DeviceOS, name: Given<String>,
        appVersion: String?, locale: String?, pushMode: PushMode?, categories: Given<[String]>,
        idempotencyKey: String?, verificationCode: String?
    ) {
        self.profile = profile
        self.signedInAtMilliseconds = signedInAtMilliseconds
        self.credential = credential
        self.app = app
        self.topic = topic
        self.lane = lane
        self.address = address
        self.mustProveItself = mustProveItself
        self.installID = installID
        self.installationKey = installationKey
        self.generation = generation
        self.os = os
        self.name = name
        self.appVersion = appVersion
        self.locale = locale
        self.pushMode = pushMode
        self.categories = categories
        self.idempotencyKey = idempotencyKey
        self.verificationCode = verificationCode
    }
}

/// What became of a registration.
package enum RegistrationResult: Sendable {
    /// A new row.
    case created(Device)
    /// The row it already had, rotated or unchanged.
    case existing(Device)
    /// A newer sign-in owns the token (409 `newer_sign_in`); no row was written.
    case newerSignIn
    /// A newer generation of this install is known, or the same one with other content (409
    /// `stale_generation`).
    case staleGeneration
    /// The installation key does not match the one bound to this install (409 `installation_key_mismatch`).
    case installationKeyMismatch
    /// A code was sent to the token; the old row is untouched until it comes back (202
    /// `verification_required`).
    case verificationRequired
    /// The code given is wrong or too old (422 `wrong_code`).
    case wrongCode
    /// The profile has as many devices as it may (422 `too_many_devices`).
    case tooManyDevices
}

/// What became of a code.
package enum VerificationResult: Sendable {
    case verified(Device)
    case wrongCode
    case notFound
}

/// A device as its owner and the operator may see it: never a token.
package struct Device: Hashable, Sendable {
    package let row: DeviceRow
    package let profile: ProfileRow
    package let topic: String
    package let lane: LaneKey
    package let installID: String
    package let os: DeviceOS
    package let name: String?
    package let appVersion: String?
    package let locale: String?
    package let pushMode: PushMode
    /// Nil: all categories.
    package let categories: [String]?
    package let state: DeviceState
    /// Counts registrations of this row; part of the display token.
    package let generation: Int64
    package let version: Int64
    package let credential: CredentialRow?
    package let registeredAtMilliseconds: Int64
    package let lastSuccessMilliseconds: Int64?
    package let lastFailureMilliseconds: Int64?
    package let lastFailure: ProviderReason?

    /// Gathers what is known of a device.
    package init(
        row: DeviceRow, profile: ProfileRow, topic: String, lane: LaneKey,
        installID: String, os: DeviceOS, name: String?, appVersion: String?, locale: String?,
        pushMode: PushMode, categories: [String]?, state: DeviceState, generation: Int64,
        version: Int64, credential: CredentialRow?, registeredAtMilliseconds: Int64,
        lastSuccessMilliseconds: Int64?, lastFailureMilliseconds: Int64?,
        lastFailure: ProviderReason?
    ) {
        self.row = row
        self.profile = profile
        self.topic = topic
        self.lane = lane
        self.installID = installID
        self.os = os
        self.name = name
        self.appVersion = appVersion
        self.locale = locale
        self.pushMode = pushMode
        self.categories = categories
        self.state = state
        self.generation = generation
        self.version = version
        self.credential = credential
        self.registeredAtMilliseconds = registeredAtMilliseconds
        self.lastSuccessMilliseconds = lastSuccessMilliseconds
        self.lastFailureMilliseconds = lastFailureMilliseconds
        self.lastFailure = lastFailure
    }

    /// True when the provider may be asked to wake it.
    package var isEnabled: Bool {
        pushMode == .privatePush && state != .needsRegistration
    }
}

/// What a PATCH changes.
package struct DeviceUpdate: Sendable {
    package var name: Given<String>
    package var pushMode: PushMode?
    package var categories: Given<[String]>

    /// Gathers a change.
    package init(name: Given<String>, pushMode: PushMode?, categories: Given<[String]>) {
        self.name = name
        self.pushMode = pushMode
        self.categories = categories
    }
}

/// How many devices there are.
package struct DeviceCounts: Hashable, Sendable {
    package let active: Int64
    package let pending: Int64
    package let quarantined: Int64
    package let needsRegistration: Int64

    /// Gathers counts.
    package init(active: Int64, pending: Int64, quarantined: Int64, needsRegistration: Int64) {
        self.active = active
        self.pending = pending
        self.quarantined = quarantined
        self.needsRegistration = needsRegistration
    }
}

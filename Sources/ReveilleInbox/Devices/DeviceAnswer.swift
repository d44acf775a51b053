package import ReveilleBytes
package import ReveilleCore
import ReveilleStorage

/// A device as its owner may see it; no token is part of it.
package struct DeviceAnswer: Hashable, Sendable {
    package let id: String
    package let serverDeviceID: String
    /// The app's own id of its install.
    package let installID: String
    package let topic: String
    package let provider: ProviderKind
    /// The environment of an Apple device.
    package let environment: APNsEnvironment?
    package let os: DeviceOS
    package let name: String?
    package let appVersion: String?
    package let locale: String?
    package let pushMode: PushMode
    /// Nil: all categories.
    package let categories: [String]?
    package let state: DeviceState
    package let isEnabled: Bool
    package let registeredAtMilliseconds: Int64
    package let lastSuccessMilliseconds: Int64?
    package let lastFailureMilliseconds: Int64?
    /// The provider's word for the last failure, from a closed list.
    package let lastFailure: String?

    init(_ device: Device, publicIDs: PublicIDs) {
        id = publicIDs.text(.device, row: device.row.number)
        serverDeviceID = publicIDs.text(.serverDevice, row: device.row.number)
        installID = device.installID
        topic = device.topic
        provider = device.lane.provider
        environment = device.lane.destination.apnsEnvironment
        os = device.os
        name = device.name
        appVersion = device.appVersion
        locale = device.locale
        pushMode = device.pushMode
        categories = device.categories
        state = device.state
        isEnabled = device.isEnabled
        registeredAtMilliseconds = device.registeredAtMilliseconds
        lastSuccessMilliseconds = device.lastSuccessMilliseconds
        lastFailureMilliseconds = device.lastFailureMilliseconds
        lastFailure = device.lastFailure?.word
    }
}

/// A device with the display token of its present registration.
package struct RegisteredDevice: Sendable {
    package let device: DeviceAnswer
    package let displayToken: SecretText
    /// When the display token ends, in milliseconds since 1970.
    package let displayTokenExpiresAtMilliseconds: Int64
}

/// What became of a registration that was not refused.
package enum RegistrationAnswer: Sendable {
    /// A new device.
    case created(RegisteredDevice)
    /// A device that was known, rotated or unchanged.
    case existing(RegisteredDevice)
    /// A code travels to the token in a wake; the app repeats the registration with it.
    case verificationRequired
}

package import ReveilleBytes
package import ReveilleCore
import ReveilleStorage

/// A list or text that a request left out, emptied or gave.
package enum Wish<Value: Sendable>: Sendable {
    /// The field is not there: what is known stays.
    case absent
    /// The field is null or empty: what is known is forgotten.
    case empty
    /// The field has a value.
    case value(Value)

    var given: Given<Value> {
        switch self {
        case .absent: .absent
        case .empty: .empty
        case .value(let value): .value(value)
        }
    }
}

/// The registration of a device as the app asks for it, in the right types and not yet checked further.
package struct RegistrationDraft: Sendable {
    package var installID: String
    package var address: AddressDraft
    /// The app, or the topic of an app.
    package var topic: String
    package var os: DeviceOS
    package var name: Wish<String> = .absent
    package var appVersion: String?
    package var locale: String?
    package var pushMode: PushMode?
    package var categories: Wish<[String]> = .absent
    /// 32 octets in base64url, base64 or hexadecimal.
    package var installationKey: SecretText?
    package var generation: Int64?
    package var verificationCode: String?
    package var idempotencyKey: String?

    /// Names what no registration can do without.
    package init(installID: String, address: AddressDraft, topic: String, os: DeviceOS) {
        self.installID = installID
        self.address = address
        self.topic = topic
        self.os = os
    }

    /// Holds the rules and makes the store's form of it.
    func checked(
        by caller: ReaderCaller, apps: AppRegistry, services: PushServices
    ) throws(InboxError) -> DeviceRegistration {
        try FieldRule.length(installID, DeviceLimits.installID, "device_id")
        try FieldRule.line(installID, "device_id")
        try DeviceRule.check(name: name)
        try DeviceRule.check(categories: categories)
        if let appVersion { try FieldRule.line(appVersion, "app_version") }
        if let locale { try DeviceRule.check(locale: locale) }
        if let verificationCode {
            try FieldRule.length(verificationCode, DeviceLimits.verificationCode, "verification_code")
            try FieldRule.line(verificationCode, "verification_code")
        }
        if let idempotencyKey { try IdempotencyKey.check(idempotencyKey) }
        let key = try installation()
        let checked = try address.checked(by: services)
        guard let app = apps.app(topic: topic) else {
            throw InboxError(
                .topicNotAllowed, field: address.appField,
                explanation: "is not a topic of the server's apps")
        }
        return DeviceRegistration(
            profile: caller.profile, signedInAtMilliseconds: caller.signedInAtMilliseconds,
            credential: caller.credential, app: app, topic: topic, lane: checked.lane, address: checked.address,
            mustProveItself: checked.isSubscription && app.provesSubscriptions, installID: installID,
            installationKey: key, generation: generation,
            os: os, name: name.given, appVersion: appVersion, locale: locale,
            pushMode: pushMode, categories: categories.given, idempotencyKey: idempotencyKey,
            verificationCode: verificationCode)
    }

    /// The installation key; it and the generation mean something only together.
    private func installation() throws(InboxError) -> [UInt8]? {
        switch (installationKey, generation) {
        case (nil, nil): return nil
        case (nil, .some):
            throw .invalid("installation_key", "is required when generation is given")
        case (.some, nil):
            throw .invalid("generation", "is required when installation_key is given")
        case (let printed?, let generation?):
            guard DeviceLimits.generation.contains(generation) else {
                throw .invalid("generation", "must be a whole number from 1 to 2^53 - 1")
            }
            return try PrintedKey.read(printed)
        }
    }
}

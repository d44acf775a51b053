internal import ReveilleCore
internal import ReveilleStorage

/// A registration as it is sealed into a claim, and back.
enum ClaimedRegistration {
    static func octets(_ request: AppleRegistration) -> [UInt8] {
        var writer = FieldWriter()
        writer.append(request.profile.number)
        writer.append(request.signedInAtMilliseconds)
        writer.append(optional: request.credential?.number)
        writer.append(request.topic)
        writer.append(request.environment.rawValue)
        writer.append(request.token.octets)
        writer.append(request.installID)
        writer.append(optional: request.installationKey)
        writer.append(optional: request.generation)
        writer.append(request.os.rawValue)
        switch request.name {
        case .absent: writer.append("")
        case .empty: writer.append("0")
        case .value(let name): writer.append("1" + name)
        }
        writer.append(optional: request.appVersion)
        writer.append(optional: request.locale)
        writer.append(optional: request.pushMode?.rawValue)
        switch request.categories {
        case .absent: writer.append("")
        case .empty: writer.append("0")
        case .value(let list): writer.append(Array("1".utf8) + TextList.octets(list))
        }
        writer.append(optional: request.idempotencyKey)
        return writer.octets
    }

    /// The registration behind `octets`; nil when the operator took its topic off the list meanwhile.
    static func request(_ octets: [UInt8], apps: AppRegistry) throws -> AppleRegistration? {
        var reader = FieldReader(octets)
        let profile = ProfileRow(try reader.number())
        let signedInAt = try reader.number()
        let credential = try reader.optionalNumber().map { CredentialRow($0) }
        let topic = try reader.text()
        guard let app = apps.app(topic: topic) else { return nil }
        let environment = APNsEnvironment(rawValue: try reader.text())
        // A token that was checked before it was sealed is still one.
        let token = try? DeviceToken(octets: try reader.bytes())
        let installID = try reader.text()
        let installationKey = try reader.optionalBytes()
        let generation = try reader.optionalNumber()
        let os = AppleOS(rawValue: try reader.text())
        let name = try given(reader.bytes()) { String(decoding: $0, as: UTF8.self) }
        let appVersion = try reader.optionalText()
        let locale = try reader.optionalText()
        let pushMode = try reader.optionalText().flatMap { PushMode(rawValue: $0) }
        let categories = try given(reader.bytes()) { try TextList.list($0) }
        let idempotencyKey = try reader.optionalText()
        guard let environment, let token, let os else { throw StoreError(.unreadableValue) }
        return AppleRegistration(
            profile: profile, signedInAtMilliseconds: signedInAt, credential: credential, app: app, topic: topic,
            environment: environment, token: token, installID: installID, installationKey: installationKey,
            generation: generation, os: os, name: name, appVersion: appVersion, locale: locale, pushMode: pushMode,
            categories: categories, idempotencyKey: idempotencyKey, verificationCode: nil)
    }

    private static func given<Value>(_ field: [UInt8], _ read: ([UInt8]) throws -> Value) throws -> Given<Value> {
        switch field.first {
        case nil: .absent
        case UInt8(ascii: "0"): .empty
        default: .value(try read(Array(field.dropFirst())))
        }
    }
}

internal import ReveilleCore
internal import ReveilleStorage

/// A registration as it is sealed into a claim, and back.
enum ClaimedRegistration {
    static func octets(_ request: DeviceRegistration) -> [UInt8] {
        var writer = FieldWriter()
        writer.append(request.profile.number)
        writer.append(request.signedInAtMilliseconds)
        writer.append(optional: request.credential?.number)
        writer.append(request.topic)
        writer.append(request.lane.provider.rawValue)
        writer.append(request.lane.destination.place)
        writer.append(request.lane.credential)
        writer.append(request.address.octets)
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
    static func request(_ octets: [UInt8], apps: AppRegistry) throws -> DeviceRegistration? {
        var reader = FieldReader(octets)
        let profile = ProfileRow(try reader.number())
        let signedInAt = try reader.number()
        let credential = try reader.optionalNumber().map { CredentialRow($0) }
        let topic = try reader.text()
        guard let app = apps.app(topic: topic) else { return nil }
        guard let provider = ProviderKind(rawValue: try reader.text()),
            let destination = LaneDestination(provider: provider, place: try reader.text())
        else { throw StoreError(.unreadableValue) }
        let lane = LaneKey(destination, credential: try reader.text())
        // An address that was checked before it was sealed is still one.
        let address = DeviceAddress(octets: try reader.bytes(), provider: provider)
        let installID = try reader.text()
        let installationKey = try reader.optionalBytes()
        let generation = try reader.optionalNumber()
        let os = DeviceOS(rawValue: try reader.text())
        let name = try given(reader.bytes()) { String(decoding: $0, as: UTF8.self) }
        let appVersion = try reader.optionalText()
        let locale = try reader.optionalText()
        let pushMode = try reader.optionalText().flatMap { PushMode(rawValue: $0) }
        let categories = try given(reader.bytes()) { try TextList.list($0) }
        let idempotencyKey = try reader.optionalText()
        guard let address, let os else { throw StoreError(.unreadableValue) }
        return DeviceRegistration(
            profile: profile, signedInAtMilliseconds: signedInAt, credential: credential, app: app, topic: topic,
            lane: lane, address: address, installID: installID, installationKey: installationKey,
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

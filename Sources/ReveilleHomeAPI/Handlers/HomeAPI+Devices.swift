import ReveilleBytes
import ReveilleCore
import ReveilleInbox
import ReveilleJSON

extension HomeAPI {
    /// Registers an Apple device or rotates its token.
    func registerApple(_ call: APICall, _ caller: ReaderCaller) async throws -> APIAnswer {
        try call.refuseQuery()
        let draft = try Self.registrationDraft(call)
        switch try await inbox.devices.register(draft, by: caller) {
        case .created(let device): return Self.registered(device, status: 201)
        case .existing(let device): return Self.registered(device, status: 200)
        case .verificationRequired:
            return .json(status: 202) { $0.member("status", "verification_required") }
        }
    }

    /// Takes the code that travelled to the device.
    func verifyDevice(_ call: APICall, _ caller: ReaderCaller) async throws -> APIAnswer {
        var fields = try call.fields()
        let code = try fields.requiredString("code", maximumBytes: DeviceLimits.verificationCode)
        try fields.finish()
        let device = try await inbox.devices.verify(try call.parameter(0), code: code, by: caller)
        return .json { $0.deviceMembers(device, forOperator: false) }
    }

    /// The profile's own devices.
    func devices(_ call: APICall, _ caller: ReaderCaller) async throws -> APIAnswer {
        try call.refuseBody()
        try call.refuseQuery()
        let devices = try await inbox.devices.devices(of: caller)
        return .json { json in
            json.key("devices")
            json.beginArray()
            for device in devices { json.device(device, forOperator: false) }
            json.endArray()
        }
    }

    /// Changes a device's name, push mode or categories.
    func changeDevice(_ call: APICall, _ caller: ReaderCaller) async throws -> APIAnswer {
        var fields = try call.fields()
        let name = try fields.wishedText("name", maximumBytes: DeviceLimits.name)
        let pushMode = try fields.optionalWord("push_mode", PushMode.self)
        let categories = try fields.wishedTexts(
            "categories", maximumCount: DeviceLimits.categories, maximumBytes: DeviceLimits.category)
        try fields.finish()
        let device = try await inbox.devices.change(
            try call.parameter(0), name: name, pushMode: pushMode, categories: categories, by: caller)
        return .json { $0.deviceMembers(device, forOperator: false) }
    }

    /// Removes a device.
    func removeDevice(_ call: APICall, _ caller: ReaderCaller) async throws -> APIAnswer {
        try call.refuseBody()
        try call.refuseQuery()
        try await inbox.devices.remove(try call.parameter(0), by: caller)
        return .noContent
    }

    private static func registrationDraft(_ call: APICall) throws -> RegistrationDraft {
        var fields = try call.fields()
        var draft = RegistrationDraft(
            installID: try fields.requiredString("device_id", maximumBytes: DeviceLimits.installID),
            token: SecretText(try fields.requiredString("apns_token", maximumBytes: DeviceLimits.printedToken)),
            environment: try fields.requiredWord("apns_environment", APNsEnvironment.self),
            topic: try fields.requiredString("apns_topic", maximumBytes: DeviceLimits.topic))
        draft.os = try fields.optionalWord("os", among: DeviceOS.apple)
        draft.name = try fields.wishedText("name", maximumBytes: DeviceLimits.name)
        draft.appVersion = try fields.optionalString("app_version", maximumBytes: DeviceLimits.appVersion)
        draft.locale = try fields.optionalString("locale", maximumBytes: DeviceLimits.locale)
        draft.pushMode = try fields.optionalWord("push_mode", PushMode.self)
        draft.categories = try fields.wishedTexts(
            "categories", maximumCount: DeviceLimits.categories, maximumBytes: DeviceLimits.category)
        draft.installationKey = try fields.optionalString(
            "installation_key", maximumBytes: DeviceLimits.printedInstallationKey
        ).map { SecretText($0) }
        draft.generation = try fields.optionalInteger("generation", in: DeviceLimits.generation)
        draft.verificationCode = try fields.optionalString(
            "verification_code", maximumBytes: DeviceLimits.verificationCode)
        try fields.finish()
        draft.idempotencyKey = try call.field("idempotency-key", named: "Idempotency-Key")
        return draft
    }

    private static func registered(_ registered: RegisteredDevice, status: Int) -> APIAnswer {
        .json(status: status) { json in
            json.member("id", registered.device.id)
            json.member("server_device_id", registered.device.serverDeviceID)
            json.member("enabled", registered.device.isEnabled)
            json.member("push_mode", registered.device.pushMode.rawValue)
            json.member("state", registered.device.state.word)
            json.member("display_token", registered.displayToken.reveal())
            json.member("display_token_expires_at", milliseconds: registered.displayTokenExpiresAtMilliseconds)
        }
    }
}

extension JSONFields {
    /// A text that may be left out, emptied (null or "") or given.
    fileprivate mutating func wishedText(_ key: String, maximumBytes: Int) throws(JSONFieldError) -> Wish<String> {
        guard presence(of: key) != .absent else { return .absent }
        guard let text = try optionalString(key, maximumBytes: maximumBytes), !text.isEmpty else { return .empty }
        return .value(text)
    }

    /// A list that may be left out, emptied (null or []) or given.
    fileprivate mutating func wishedTexts(
        _ key: String, maximumCount: Int, maximumBytes: Int
    ) throws(JSONFieldError) -> Wish<[String]> {
        guard presence(of: key) != .absent else { return .absent }
        let texts = try optionalStrings(key, maximumCount: maximumCount, maximumBytes: maximumBytes)
        guard let texts, !texts.isEmpty else { return .empty }
        return .value(texts)
    }
}

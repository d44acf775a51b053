import ReveilleCore
import ReveilleInbox
import ReveilleJSON

extension HomeAPI {
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
}

extension JSONFields {
    /// A text that may be left out, emptied (null or "") or given.
    mutating func wishedText(_ key: String, maximumBytes: Int) throws(JSONFieldError) -> Wish<String> {
        guard presence(of: key) != .absent else { return .absent }
        guard let text = try optionalString(key, maximumBytes: maximumBytes), !text.isEmpty else { return .empty }
        return .value(text)
    }

    /// A list that may be left out, emptied (null or []) or given.
    mutating func wishedTexts(
        _ key: String, maximumCount: Int, maximumBytes: Int
    ) throws(JSONFieldError) -> Wish<[String]> {
        guard presence(of: key) != .absent else { return .absent }
        let texts = try optionalStrings(key, maximumCount: maximumCount, maximumBytes: maximumBytes)
        guard let texts, !texts.isEmpty else { return .empty }
        return .value(texts)
    }
}

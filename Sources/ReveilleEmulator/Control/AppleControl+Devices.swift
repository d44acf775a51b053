internal import ReveilleJSON
internal import ReveilleRuntime

/// Devices in the control interface.
extension AppleControl {
    /// What `state` may say.
    private enum State: String, CaseIterable {
        case active
        case unregistered
        case expired
    }

    func devices(_ request: ControlRequest) throws(JSONFieldError) -> ControlAnswer? {
        switch (request.method, request.path.count) {
        case ("POST", 1): return try putDevice(request)
        case ("GET", 2): return withDevice(request) { ControlAnswer(200, $0.json) }
        case ("DELETE", 2):
            guard world.devices.remove(token(request)) != nil else {
                return .error(404, "unknown_device")
            }
            return ControlAnswer(200, [:])
        case ("GET", 3) where request.path[2] == "screen":
            return withDevice(request) { ControlAnswer(200, $0.screenJSON) }
        case ("DELETE", 3) where request.path[2] == "screen":
            let isKnown = world.devices.change(token(request)) { $0.clearScreen() }
            return isKnown ? ControlAnswer(200, [:]) : .error(404, "unknown_device")
        default: return nil
        }
    }

    private func token(_ request: ControlRequest) -> String {
        request.path[1].lowercased()
    }

    private func withDevice(
        _ request: ControlRequest, _ answer: (EmulatedDevice) -> ControlAnswer
    ) -> ControlAnswer {
        guard let device = world.devices[token(request)] else {
            return .error(404, "unknown_device")
        }
        return answer(device)
    }

    /// Registers a device, or changes what the request names of one that is known.
    private func putDevice(_ request: ControlRequest) throws(JSONFieldError) -> ControlAnswer {
        var fields = try JSONFields(try request.json())
        guard let token = try fields.optionalToken("token") else {
            throw fields.error(.missingField, "token", "is required")
        }
        let known = world.devices[token]
        let environment: AppleEnvironment? = try fields.optionalWord("environment")
        let bundleID = try fields.optionalString(
            "bundle_id", maximumBytes: AppleRules.maximumTopicBytes)
        guard let bundleID = bundleID ?? known?.bundleID else {
            throw fields.error(.missingField, "bundle_id", "is required for a new device")
        }
        guard !bundleID.isEmpty else { throw fields.error(.tooShort, "bundle_id", "must not be empty") }
        let state: State? = try fields.optionalWord("state")
        let since = try fields.optionalInteger("since_ms", in: 0...Int64.max)
        if since != nil, state == nil || state == .active {
            throw fields.error(.invalidValue, "since_ms", "belongs to the states `unregistered` and `expired`")
        }
        let online = try fields.optionalBoolean("online")
        try fields.finish()
        let now = world.clock.now()
        let wasAdded = world.devices.update(
            token,
            orInsert: EmulatedDevice(
                token: token, environment: environment ?? .production, bundleID: bundleID)
        ) { device in
            device.bundleID = bundleID
            if let environment { device.environment = environment }
            let since = since.map(WallInstant.init(milliseconds:)) ?? now
            switch state {
            case nil: break
            case .active?: device.registration = .active
            case .unregistered?: device.registration = .unregistered(since: since)
            case .expired?: device.registration = .expired(since: since)
            }
            if let online { device.setOnline(online, at: now) }
        }
        guard wasAdded, let device = world.devices[token] else {
            return .error(409, "too_many_devices")
        }
        return ControlAnswer(known == nil ? 201 : 200, device.json)
    }
}

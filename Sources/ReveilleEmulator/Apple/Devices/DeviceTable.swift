internal import ReveilleRuntime

/// What Apple does with a token that nobody registered.
package enum UnknownTokens: String, Sendable, CaseIterable {
    /// It becomes a device of the environment and topic of its first push.
    case adopt
    /// It is taken and forgotten: for large runs.
    case accept
    /// BadDeviceToken.
    case refuse
}

/// The devices that Apple knows, by token.
struct DeviceTable {
    /// How many devices are kept.
    ///
    /// Further unknown tokens are accepted and not adopted.
    static let maximumDevices = 1_000_000

    var unknownTokens: UnknownTokens
    private(set) var devices: [String: EmulatedDevice] = [:]

    init(unknownTokens: UnknownTokens) {
        self.unknownTokens = unknownTokens
    }

    subscript(token: String) -> EmulatedDevice? { devices[token] }

    /// Whether accepted pushes reach anything.
    var keepsDevices: Bool { unknownTokens == .adopt || !devices.isEmpty }

    /// Puts a device in unless one has its token, and changes it.
    ///
    /// False when the table is full.
    mutating func update(
        _ token: String, orInsert device: @autoclosure () -> EmulatedDevice,
        _ change: (inout EmulatedDevice) -> Void
    ) -> Bool {
        if devices[token] == nil {
            guard devices.count < Self.maximumDevices else { return false }
            devices[token] = device()
        }
        return self.change(token, change)
    }

    /// Changes a device that is known.
    ///
    /// False when it is not.
    mutating func change(_ token: String, _ change: (inout EmulatedDevice) -> Void) -> Bool {
        guard let index = devices.index(forKey: token) else { return false }
        change(&devices.values[index])
        return true
    }

    /// Forgets a device.
    mutating func remove(_ token: String) -> EmulatedDevice? {
        devices.removeValue(forKey: token)
    }

    mutating func removeAll() {
        devices.removeAll()
    }

    /// Refuses a push whose token is not good for it.
    func check(
        _ push: ApplePush, in environment: AppleEnvironment, at now: WallInstant
    ) throws(AppleRefusal) {
        guard unknownTokens != .accept || !devices.isEmpty else { return }
        guard let device = devices[push.token] else {
            guard unknownTokens != .refuse else {
                throw AppleRefusal(.badDeviceToken, .tokenIsUnknown)
            }
            return
        }
        guard device.environment == environment else {
            throw AppleRefusal(.badDeviceToken, .tokenIsOfOtherEnvironment)
        }
        guard device.bundleID == push.bundleID else {
            throw AppleRefusal(.deviceTokenNotForTopic, .tokenIsOfOtherTopic)
        }
        try device.registration.check(at: now)
    }

    /// Hands an accepted push to its device.
    mutating func deliver(
        _ push: DevicePush, to request: ApplePush, in environment: AppleEnvironment,
        at now: WallInstant
    ) {
        let token = request.token
        if devices[token] == nil {
            guard unknownTokens == .adopt, devices.count < Self.maximumDevices else { return }
            devices[token] = EmulatedDevice(
                token: token, environment: environment, bundleID: request.bundleID)
        }
        devices[token]?.receive(push, at: now)
    }
}

import ReveilleBytes
import ReveilleCore
import ReveilleEndpoints
import ReveilleInbox
import ReveilleJSON

extension HomeAPI {
    /// Registers an Apple device or rotates its token.
    func registerApple(_ call: APICall, _ caller: ReaderCaller) async throws -> APIAnswer {
        try await register(call, caller) { fields in
            let token = SecretText(try fields.requiredString("apns_token", maximumBytes: DeviceLimits.printedToken))
            let environment = try fields.requiredWord("apns_environment", APNsEnvironment.self)
            return (
                .apple(token, environment), try fields.requiredString("apns_topic", maximumBytes: DeviceLimits.topic),
                try fields.optionalWord("os", among: DeviceOS.apple) ?? .iOS
            )
        }
    }

    /// Registers an app instance with FCM.
    func registerAndroid(_ call: APICall, _ caller: ReaderCaller) async throws -> APIAnswer {
        try await register(call, caller) { fields in
            (try Self.fcmAddress(&fields), try Self.app(&fields), .android)
        }
    }

    /// Registers a subscription of a UnifiedPush distributor.
    func registerUnifiedPush(_ call: APICall, _ caller: ReaderCaller) async throws -> APIAnswer {
        try await register(call, caller) { fields in
            (
                .push(.unifiedPush, try Self.subscription(&fields)), try Self.app(&fields),
                try fields.optionalWord("os", among: DeviceOS.unifiedPush) ?? .android
            )
        }
    }

    /// Registers a subscription of a browser.
    func registerWeb(_ call: APICall, _ caller: ReaderCaller) async throws -> APIAnswer {
        try await register(call, caller) { fields in
            (.push(.webPush, try Self.subscription(&fields)), try Self.app(&fields), .browser)
        }
    }

    private typealias Target = (address: AddressDraft, app: String, os: DeviceOS)

    private func register(
        _ call: APICall, _ caller: ReaderCaller, _ target: (inout JSONFields) throws -> Target
    ) async throws -> APIAnswer {
        try call.refuseQuery()
        let draft = try Self.draft(call, target)
        switch try await inbox.devices.register(draft, by: caller) {
        case .created(let device): return Self.registered(device, status: 201)
        case .existing(let device): return Self.registered(device, status: 200)
        case .verificationRequired:
            return .json(status: 202) { $0.member("status", "verification_required") }
        }
    }

    // MARK: Reading

    private static func app(_ fields: inout JSONFields) throws -> String {
        try fields.requiredString("app", maximumBytes: DeviceLimits.topic)
    }

    /// One of the two ways in which FCM names an app instance.
    private static func fcmAddress(_ fields: inout JSONFields) throws -> AddressDraft {
        let installation = try fields.optionalString("fcm_installation_id", maximumBytes: DeviceLimits.fcmToken)
        guard let installation else {
            return .fcm(
                .token, SecretText(try fields.requiredString("fcm_token", maximumBytes: DeviceLimits.fcmToken)))
        }
        guard fields.presence(of: "fcm_token") == .absent else {
            throw InboxError.invalid("fcm_token", "must be left out when fcm_installation_id is given")
        }
        return .fcm(.installation, SecretText(installation))
    }

    /// A subscription in the form in which browsers print theirs (`PushSubscription.toJSON()`, W3C Push API).
    private static func subscription(_ fields: inout JSONFields) throws -> SubscriptionDraft {
        var subscription = try fields.requiredObject("subscription")
        let endpoint = try subscription.requiredString("endpoint", maximumBytes: DeviceLimits.endpoint)
        // Browsers print it, always null so far; a subscription that ends is one that the service calls gone.
        _ = try subscription.optionalInteger("expirationTime", in: 0...Int64.max)
        var keys = try subscription.requiredObject("keys")
        let publicKey = try keys.requiredString("p256dh", maximumBytes: DeviceLimits.subscriptionKey)
        let secret = try keys.requiredString("auth", maximumBytes: DeviceLimits.subscriptionKey)
        try keys.finish()
        try subscription.finish()
        return SubscriptionDraft(
            endpoint: SecretText(endpoint), publicKey: publicKey, secret: SecretText(secret),
            serverKey: try fields.optionalString("vapid_key", maximumBytes: DeviceLimits.subscriptionKey))
    }

    private static func draft(
        _ call: APICall, _ target: (inout JSONFields) throws -> Target
    ) throws -> RegistrationDraft {
        var fields = try call.fields()
        let installID = try fields.requiredString("device_id", maximumBytes: DeviceLimits.installID)
        let (address, app, os) = try target(&fields)
        var draft = RegistrationDraft(installID: installID, address: address, topic: app, os: os)
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

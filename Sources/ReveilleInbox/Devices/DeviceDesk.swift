import ReveilleBytes
package import ReveilleCore
package import ReveilleStorage

/// Registers, lists, changes and removes the devices of profiles.
package struct DeviceDesk: Sendable {
    private let store: any DeviceStore
    private let apps: AppRegistry
    private let publicIDs: PublicIDs
    private let displayTokens: DisplayTokens
    private let limits: CallerLimits
    private let services: PushServices

    /// Keeps devices in `store`.
    package init(
        store: any DeviceStore, apps: AppRegistry, publicIDs: PublicIDs,
        displayTokens: DisplayTokens, limits: CallerLimits, services: PushServices
    ) {
        self.store = store
        self.apps = apps
        self.publicIDs = publicIDs
        self.displayTokens = displayTokens
        self.limits = limits
        self.services = services
    }

    /// Registers a device or rotates its token or subscription.
    package func register(
        _ draft: RegistrationDraft, by caller: ReaderCaller
    ) async throws(InboxError) -> RegistrationAnswer {
        try limits.countRegistration(caller.profile)
        let registration = try draft.checked(by: caller, apps: apps, services: services)
        let result = try await translating { () throws(StoreError) in
            try await store.register(registration)
        }
        switch result {
        case .created(let device): return .created(registered(device))
        case .existing(let device): return .existing(registered(device))
        case .verificationRequired: return .verificationRequired
        case .newerSignIn: throw InboxError(.newerSignIn)
        case .staleGeneration: throw InboxError(.staleGeneration, field: "generation")
        case .installationKeyMismatch:
            throw InboxError(.installationKeyMismatch, field: "installation_key")
        case .wrongCode: throw InboxError(.wrongCode, field: "verification_code")
        case .tooManyDevices: throw InboxError(.tooManyDevices)
        }
    }

    /// Takes the code that travelled to a device in a verification wake.
    ///
    /// - Parameter id: the id of the claimant's own device, or the `server_device_id` that the wake names: whoever claims a
    ///   token for the first time has no device yet, and knows of the other one only this.
    package func verify(
        _ id: String, code: String, by caller: ReaderCaller
    ) async throws(InboxError) -> DeviceAnswer {
        try limits.countRegistration(caller.profile)
        let row = if let holder = publicIDs.row(.serverDevice, text: id) { DeviceRow(holder) } else { try row(id) }
        guard !caller.isDisplayToken || caller.device == row else {
            throw InboxError(.deviceNotFound)
        }
        try FieldRule.length(code, DeviceLimits.verificationCode, "code")
        try FieldRule.line(code, "code")
        let result = try await translating { () throws(StoreError) in
            try await store.verify(row, of: caller.profile, code: code)
        }
        switch result {
        case .verified(let device): return DeviceAnswer(device, publicIDs: publicIDs)
        case .wrongCode: throw InboxError(.wrongCode, field: "code")
        case .notFound:
            // The store looks only for a registration that waits; for a device without one no code is right.
            let device = try await translating { () throws(StoreError) in
                try await store.device(row, of: caller.profile)
            }
            guard device != nil else { throw InboxError(.deviceNotFound) }
            throw InboxError(.wrongCode, field: "code")
        }
    }

    /// The devices of a profile, newest registration first.
    package func devices(of caller: ReaderCaller) async throws(InboxError) -> [DeviceAnswer] {
        let devices = try await translating { () throws(StoreError) in
            try await store.devices(of: caller.profile)
        }
        return devices.map { DeviceAnswer($0, publicIDs: publicIDs) }
    }

    /// Changes a device's name, push mode or categories.
    package func change(
        _ id: String, name: Wish<String>, pushMode: PushMode?, categories: Wish<[String]>,
        by caller: ReaderCaller
    ) async throws(InboxError) -> DeviceAnswer {
        try DeviceRule.check(name: name)
        try DeviceRule.check(categories: categories)
        let row = try row(id)
        let update = DeviceUpdate(
            name: name.given, pushMode: pushMode, categories: categories.given)
        let device = try await translating { () throws(StoreError) in
            try await store.update(row, of: caller.profile, update)
        }
        guard let device else { throw InboxError(.deviceNotFound) }
        return DeviceAnswer(device, publicIDs: publicIDs)
    }

    /// Removes a device; nothing happens when the profile has none of that id.
    package func remove(_ id: String, by caller: ReaderCaller) async throws(InboxError) {
        guard let number = publicIDs.row(.device, text: id) else { return }
        _ = try await translating { () throws(StoreError) in
            try await store.remove(DeviceRow(number), of: caller.profile)
        }
    }

    private func row(_ id: String) throws(InboxError) -> DeviceRow {
        guard let number = publicIDs.row(.device, text: id) else {
            throw InboxError(.deviceNotFound)
        }
        return DeviceRow(number)
    }

    private func registered(_ device: Device) -> RegisteredDevice {
        RegisteredDevice(
            device: DeviceAnswer(device, publicIDs: publicIDs),
            displayToken: SecretText(
                displayTokens.issue(device: device.row, generation: device.generation)),
            displayTokenExpiresAtMilliseconds: device.displayTokenExpiryMilliseconds)
    }
}

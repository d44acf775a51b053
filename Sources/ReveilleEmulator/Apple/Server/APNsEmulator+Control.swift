package import ReveilleJSON
internal import ReveilleRuntime

/// What tests and commands ask of a running emulator.
extension APNsEmulator {
    // MARK: Faults

    /// Puts a fault in force and returns its name; nil when there are too many.
    @discardableResult
    package func addFault(_ fault: AppleFault) async -> String? {
        await host.perform { $0.faults.add(fault) }
    }

    /// Takes a fault away.
    ///
    /// False when there is none of this name.
    @discardableResult
    package func removeFault(_ id: String) async -> Bool {
        await host.perform { $0.faults.remove(id) }
    }

    /// Takes all faults away.
    ///
    /// What is held stays held.
    package func removeFaults() async {
        await host.perform { $0.faults.removeAll() }
    }

    /// How often a fault matched and struck; nil when there is none of this name.
    package func strikes(of id: String) async -> (matched: Int, struck: Int)? {
        await host.perform { world in
            world.faults.entries.first { $0.fault.id == id }.map { ($0.count.matched, $0.count.struck) }
        }
    }

    /// Answers requests that are held, oldest first.
    ///
    /// - Returns: how many.
    @discardableResult
    package func releaseHeld(token: String? = nil, limit: Int = .max) async -> Int {
        await host.perform { world in
            world.releaseHeld(limit: limit) { token == nil || $0.token == token }
        }
    }

    // MARK: Connections

    /// Sends GOAWAY on one connection, or on all.
    ///
    /// - Returns: on how many.
    @discardableResult
    package func goAway(_ plan: GoAwayPlan = GoAwayPlan(), connection: Int? = nil) async -> Int {
        await host.perform { $0.goAway(plan, connection: connection) }
    }

    /// Announces another limit of streams on one connection, or on all that are and will be.
    ///
    /// - Returns: on how many.
    @discardableResult
    package func setStreamLimit(_ limit: Int, connection: Int? = nil) async -> Int {
        await host.perform { $0.setStreamLimit(limit, connection: connection) }
    }

    /// Ends one connection, or all.
    ///
    /// - Returns: how many.
    @discardableResult
    package func dropConnections(
        _ manner: DropManner = .reset, connection: Int? = nil
    ) async -> Int {
        await host.perform { $0.dropConnections(manner, connection: connection) }
    }

    /// Half-closes one connection, or all: the end of the stream of bytes is sent, reading goes on.
    ///
    /// - Returns: how many.
    @discardableResult
    package func halfCloseConnections(connection: Int? = nil) async -> Int {
        await host.perform { $0.halfCloseConnections(connection: connection) }
    }

    /// Lets one connection, or all, fall silent: nothing is read or written, and no socket is closed.
    ///
    /// - Returns: how many.
    @discardableResult
    package func silenceConnections(connection: Int? = nil) async -> Int {
        await host.perform { $0.silenceConnections(connection: connection) }
    }

    /// Changes which provider tokens are good, as when a key is revoked.
    ///
    /// Connections are held to it from their next request.
    package func accept(_ tokens: AcceptedProviderTokens) async {
        await host.perform { $0.accept(tokens) }
    }

    // MARK: Devices

    /// Registers a device, or replaces the one with its token.
    ///
    /// - Returns: false when there are too many.
    @discardableResult
    package func register(_ device: EmulatedDevice) async -> Bool {
        await host.perform { world in
            world.devices.update(device.token, orInsert: device) { $0 = device }
        }
    }

    /// A device; nil when its token is not known.
    package func device(_ token: String) async -> EmulatedDevice? {
        await host.perform { $0.devices[token] }
    }

    /// Says whether a token is alive.
    ///
    /// False when it is not known.
    @discardableResult
    package func setRegistration(_ registration: DeviceRegistration, of token: String) async -> Bool {
        await host.perform { $0.devices.change(token) { $0.registration = registration } }
    }

    /// Connects or disconnects a device.
    ///
    /// False when its token is not known.
    @discardableResult
    package func setOnline(_ online: Bool, _ token: String) async -> Bool {
        await host.perform { world in
            let now = world.clock.now()
            return world.devices.change(token) { $0.setOnline(online, at: now) }
        }
    }

    /// What is on a device's screen, oldest first; empty when its token is not known.
    package func screen(of token: String) async -> [DevicePush] {
        await host.perform { $0.devices[token]?.screen ?? [] }
    }

    // MARK: Records

    /// The counters now.
    package func counters() async -> AppleCounters {
        await host.perform { $0.currentCounters }
    }

    /// Waits until the counters meet a condition.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    package func wait(
        until condition: @escaping @Sendable (AppleCounters) -> Bool
    ) async throws(CancellationError) {
        let signal = await host.perform { $0.signal(when: condition) }
        do throws(CancellationError) {
            try await signal.wait()
        } catch {
            await host.perform { $0.forget(signal) }
            throw error
        }
    }

    /// Everything that was seen after a running number, oldest first; nothing when only ids are kept.
    package func seen(after number: UInt64 = 0, limit: Int = .max) async -> [SeenRequest] {
        await host.perform { world in
            world.records.requests(after: number, limit: limit) { _ in true }
        }
    }

    /// The accepted ones of what was seen.
    package func pushes(after number: UInt64 = 0, limit: Int = .max) async -> [SeenRequest] {
        await host.perform { world in
            world.records.requests(after: number, limit: limit, where: \.isAccepted)
        }
    }

    /// Ids of accepted pushes after a running number, oldest first, in either way of keeping.
    package func pushIDs(after number: UInt64 = 0, limit: Int = .max) async -> [CompactPush] {
        await host.perform { $0.records.pushes(after: number, limit: limit) }
    }

    /// How many different ids the kept accepted pushes have.
    package func distinctIDCount() async -> Int {
        await host.perform { $0.records.distinctIDCount() }
    }

    /// Forgets history, counters, devices and faults, and answers what is held; connections stay.
    package func reset() async {
        await host.perform { $0.reset() }
    }

    /// Answers a request to the control interface.
    package func answer(_ request: ControlRequest) async -> ControlAnswer {
        await host.perform { AppleControl(world: $0).answer(request) }
    }

    /// The counters as the control interface shows them.
    package static func json(of counters: AppleCounters) -> JSONObject { counters.json }
}

internal import ReveilleBytes
internal import ReveilleHTTP2
internal import ReveilleNetwork
internal import ReveilleRuntime
internal import ReveilleTLS

/// Everything that the emulated Apple knows, shared by its environments.
///
/// Lives on one event loop.
final class AppleWorld {
    let loop: EventLoop
    let clock: any WallClock
    /// What the wire does to bodies.
    let wire: (@Sendable (_ body: inout [UInt8]) -> Void)?
    let providerTokens: ProviderTokenReader
    var bundleIDs: Set<String>?
    var devices: DeviceTable
    var faults = FaultSet<AppleFault>()
    var counters = AppleCounters()
    var streamLimit: Int
    var records: AppleRecords
    var connections: [Int: AppleConnection] = [:]
    var held = HeldRequests()
    private var refusedConnections: [ObjectIdentifier: RefusedConnection] = [:]
    private var lastConnection = 0
    private let ids: IDSource
    private let unknownTokens: UnknownTokens
    private var waiters = CounterWaiters<AppleCounters>()

    init(
        _ configuration: APNsEmulatorConfiguration, loop: EventLoop, clock: any WallClock,
        random: any RandomSource
    ) {
        self.loop = loop
        self.clock = clock
        wire = configuration.wire
        providerTokens = ProviderTokenReader(accepting: configuration.providerTokens)
        bundleIDs = configuration.bundleIDs
        unknownTokens = configuration.treatmentOfUnknownTokens
        devices = DeviceTable(unknownTokens: configuration.treatmentOfUnknownTokens)
        streamLimit = configuration.streamLimit
        records = AppleRecords(configuration.keeping)
        ids = IDSource(random)
        for fault in configuration.faults { _ = faults.add(fault) }
    }

    /// A new UUID in lower case.
    func makeID() -> String { ids.next() }

    /// The counters, with what is counted elsewhere.
    var currentCounters: AppleCounters {
        var current = counters
        current.providerTokens = providerTokens.textCount
        return current
    }

    /// Takes a push that no rule refused and hands it to its device.
    ///
    /// Returns the id that Apple gives it.
    func accept(
        _ push: ApplePush, _ payload: ApplePayload, body: [UInt8], id: String,
        in environment: AppleEnvironment, at now: WallInstant
    ) {
        counters.accepted += 1
        guard devices.keepsDevices else { return }
        devices.deliver(
            DevicePush(
                apnsID: id, collapseID: push.collapseID, pushType: push.pushType, receivedAt: now,
                expiration: push.expiration, summary: payload, payload: body),
            to: push, in: environment, at: now)
    }

    /// Forgets history, counters, devices, faults and what is held; connections stay.
    func reset() {
        releaseHeld(where: { _ in true })
        faults.removeAll()
        devices = DeviceTable(unknownTokens: unknownTokens)
        records.removeAll()
        let inFlight = counters.inFlight
        let open = counters.connectionsOpen
        counters = AppleCounters()
        counters.received = inFlight
        counters.connectionsOpen = open
        providerTokens.resetCount()
        changed()
    }

    /// Answers held requests, oldest first; returns how many.
    @discardableResult
    func releaseHeld(
        limit: Int = .max, where isWanted: (HeldRequests.Entry) -> Bool
    ) -> Int {
        let released = held.take(limit: limit, where: isWanted)
        for entry in released { connections[entry.connection]?.release(entry.stream) }
        return released.count
    }

    // MARK: Connections

    /// Takes a connection from a listening socket, unless a fault refuses it.
    func admit(
        _ descriptor: Int32, from peer: SocketAddress, to environment: AppleEnvironment,
        tls: TLSContext
    ) {
        counters.connectionsAccepted += 1
        if let fault = faults.strikeConnection(in: environment) {
            counters.connectionsRefused += 1
            refuse(descriptor, from: peer, fault.action)
            return
        }
        lastConnection += 1
        do throws(HTTP2Error) {
            let connection = try AppleConnection(
                number: lastConnection, environment: environment, world: self)
            connections[lastConnection] = connection
            connection.begin(descriptor, from: peer, tls: tls)
        } catch {
            counters.handshakesFailed += 1
            refuse(descriptor, from: peer, .refuseConnection(.reset))
        }
        changed()
    }

    private func refuse(
        _ descriptor: Int32, from peer: SocketAddress, _ action: AppleFaultAction
    ) {
        let connection = RefusedConnection(action, world: self)
        refusedConnections[ObjectIdentifier(connection)] = connection
        connection.begin(descriptor, from: peer)
        changed()
    }

    /// Lets go of a connection that has ended.
    func forget(_ connection: AppleConnection) {
        connections[connection.number] = nil
        changed()
    }

    /// Lets go of a connection that was refused.
    func forget(_ connection: RefusedConnection) {
        refusedConnections[ObjectIdentifier(connection)] = nil
        changed()
    }

    /// Ends all connections without ceremony.
    func abortConnections() {
        for connection in connections.values { connection.abort() }
        for connection in refusedConnections.values { connection.abort() }
    }

    /// Changes which provider tokens are good; connections are held to it from their next request.
    func accept(_ tokens: AcceptedProviderTokens) {
        providerTokens.accept(tokens)
        for connection in connections.values { connection.credential.forgetText() }
    }

    // MARK: Waiting

    /// A signal that comes when the counters meet `condition`, perhaps at once.
    func signal(when condition: @escaping @Sendable (AppleCounters) -> Bool) -> OneShot<Void> {
        waiters.signal(when: condition, now: currentCounters)
    }

    /// Forgets a signal that nobody waits for any more.
    func forget(_ signal: OneShot<Void>) { waiters.forget(signal) }

    /// Called after the counters have changed.
    func changed() {
        guard !waiters.isEmpty else { return }
        waiters.changed(to: currentCounters)
    }
}

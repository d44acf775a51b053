internal import ReveilleHTTP2
internal import ReveilleNetwork
internal import ReveilleRuntime
internal import ReveilleTelemetry

/// How the set of connections is kept.
extension ConnectionSet {
    // MARK: Opening

    /// Opens a connection of a group when none takes tries and none is on its way.
    func openFirst(_ group: ConnectionGroup) {
        let isCovered = group.connections.contains { $0.isOpen || $0.isOpening }
        if !isCovered { openAnother(group) }
    }

    /// Looks the name up, anew for each connection, and connects.
    private func openAnother(_ group: ConnectionGroup) {
        guard case .none = group.opening, phase == .active else { return }
        group.isDue = false
        if let address = configuration.address { return connect(group, to: [address]) }
        let lookup = NameLookup(resolver: resolver, loop: loop)
        group.opening = .lookingUp(lookup)
        report()
        lookup.start(configuration.host, port: configuration.port) { [weak self] result in
            self?.lookedUp(group, result)
        }
    }

    private func lookedUp(_ group: ConnectionGroup, _ result: Result<[SocketAddress], any Error>) {
        guard case .lookingUp = group.opening, phase == .active else { return }
        group.opening = .none
        switch result {
        case .success(let addresses) where !addresses.isEmpty: connect(group, to: addresses)
        case .success: notFound(group, .notFound)
        case .failure(let error): notFound(group, (error as? ResolutionError)?.code ?? .failed)
        }
    }

    private func notFound(_ group: ConnectionGroup, _ code: ResolutionError.Code) {
        let message: StaticString =
            switch code {
            case .exhausted: "the provider's name cannot be looked up: the limit of open files is reached; raise it"
            case .malformedName, .notFound, .temporaryFailure, .timedOut, .tooManyWaiting, .failed:
                "the provider's name has no address"
            }
        let host: KeyValuePairs<StaticString, LogValue> =
            traits.namesHost ? ["host": .configured(configuration.host), "cause": .code(code)] : ["cause": .code(code)]
        log.warning(message, host)
        failed(group, .notConnected)
    }

    private func connect(_ group: ConnectionGroup, to addresses: [SocketAddress]) {
        do throws(HTTP2Error) {
            let connection = try SendingConnection(owner: self, in: group)
            group.connections.append(connection)
            connection.http?.open(to: spread(addresses), tls: configuration.tls.map { ($0, configuration.host) })
        } catch {
            failed(group, .notConnected)
        }
        if let upkeepTimer, !upkeepTimer.isPending { upkeepTimer.start(after: configuration.upkeepInterval) }
        report()
    }

    /// Begins at another address each time, so that several connections reach several machines.
    private func spread(_ addresses: [SocketAddress]) -> [SocketAddress] {
        let start = random.uniform(0..<addresses.count)
        return Array(addresses[start...] + addresses[..<start])
    }

    private func failed(_ group: ConnectionGroup, _ reason: ConnectionFault) {
        group.failures += 1
        group.lastFailure = reason
        // Who was due and had nothing until now does not speak for this one.
        for other in groups { other.isDue = false }
        guard phase == .active else { return }
        let delay = configuration.backoff.delay(failures: group.failures, unit: random.unitInterval())
        log.info(
            "waiting before the next connection", ["failures": .integer(group.failures), "delay": .duration(delay)])
        let timer = loop.schedule(after: delay) { [weak self] in self?.backoffEnded(group) }
        group.opening = .waiting(timer)
        report()
    }

    private func backoffEnded(_ group: ConnectionGroup) {
        group.opening = .none
        group.isDue = true
        report()
        pull(group)
    }

    // MARK: What connections tell

    func connectionProved(_ connection: SendingConnection) {
        connection.group.failures = 0
        connection.group.hasProved = true
        report()
    }

    func connectionChanged(_ connection: SendingConnection) {
        if connection.isOpen, !connection.wasOpen {
            connection.wasOpen = true
            metrics.connectionsOpened.increment()
        }
        // The server's stream limit may have moved.
        if connection.isOpen { report() }
        if let goAway = connection.http?.goAway { logGoAway(goAway) }
        guard !connection.isOpen, !connection.isOpening else { return }
        replace(connection)
    }

    /// Sees to it that what a connection leaves behind travels on another.
    private func replace(_ connection: SendingConnection) {
        // Before the report: a group that waits does not speak for one that opens.
        if connection.group.hasWork { pull(connection.group) }
        report()
    }

    private func logGoAway(_ goAway: HTTP2GoAway) {
        let reason = goAway.debugData.withUnsafeBytes { form.reason(inGoAway: $0) }
        log.info("the provider leaves a connection", ["code": .integer(goAway.code.rawValue), "reason": reason])
    }

    func connectionClosed(_ connection: SendingConnection, _ end: ConnectionEnd, answered: Int) {
        connection.group.connections.removeAll { $0 === connection }
        metrics.connectionsEnded[Self.fate(end)].increment()
        switch phase {
        case .active: break
        case .draining, .drained: return finishDrainIfDone()
        }
        logEnd(end, answered: answered)
        // A connection that brought answers is replaced at once; one that did not may be the server's trouble, or ours.
        if answered == 0, end != .retired {
            failed(connection.group, end == .noCommonProtocol ? .wrongProtocol : .notConnected)
        }
        replace(connection)
    }

    private func logEnd(_ end: ConnectionEnd, answered: Int) {
        switch end {
        case .notOpened(let reason):
            log.warning("the provider cannot be reached", ["cause": .configured(reason.code)])
        case .noCommonProtocol:
            log.warning("what answers under the provider's name does not speak its protocol")
        case .retired, .serverLeft, .lost, .silent, .protocolViolation:
            log.info(
                "a connection to the provider ended", ["fate": .code(Self.fate(end)), "answers": .integer(answered)])
        }
    }

    private static func fate(_ end: ConnectionEnd) -> SendingMetrics.ConnectionFate {
        switch end {
        case .retired: .retired
        case .serverLeft: .serverLeft
        case .notOpened: .notOpened
        case .noCommonProtocol: .noCommonProtocol
        case .lost: .lost
        case .silent: .silent
        case .protocolViolation: .protocolViolation
        }
    }

    /// Leaves every connection once its answers are there.
    func retireConnections() {
        for group in groups { for connection in group.connections { connection.http?.retire() } }
    }

    // MARK: Growth and age

    /// Opens another connection of a group when every one was saturated at two looks in a row.
    func lookForSaturation() {
        for group in groups { lookForSaturation(group) }
        guard phase == .active, groups.contains(where: \.hasWork) else { return }
        growthTimer?.start(after: configuration.growthInterval)
    }

    private func lookForSaturation(_ group: ConnectionGroup) {
        let useful = group.connections.filter { $0.isOpen || $0.isOpening }
        guard phase == .active, group.hasWork, !useful.isEmpty, useful.count < group.limit,
            useful.allSatisfy(\.isSaturated)
        else {
            group.saturatedLooks = 0
            return
        }
        group.saturatedLooks += 1
        guard group.saturatedLooks >= 2 else { return }
        group.saturatedLooks = 0
        openAnother(group)
    }

    /// Retires connections that are old, and those beyond the first that nobody needs: for tokens that are not proven also the
    /// only one, when another carries the rest; and where none is to be kept, the last one.
    func upkeep() {
        guard phase == .active, groups.contains(where: { !$0.connections.isEmpty }) else { return }
        upkeepTimer?.start(after: configuration.upkeepInterval)
        let provenCount = groups[0].openCount
        for group in groups.dropFirst() where retireOne(of: group, isSpare: provenCount > 0) { return }
        _ = retireOne(of: groups[0], isSpare: provenCount > 1)
    }

    /// Retires a connection that is old, or not used lately where one can be spared; one at a time.
    private func retireOne(of group: ConnectionGroup, isSpare: Bool) -> Bool {
        let now = loop.now()
        let idleLimit = isSpare ? configuration.surplusIdle : configuration.lastIdle
        for connection in group.connections {
            guard let http = connection.http, http.state == .open, let openedAt = http.openedAt else { continue }
            let isOld = now >= openedAt + connection.lifetime
            let isSurplus =
                http.openStreams == 0 && idleLimit.map { now >= (http.lastUsed ?? openedAt) + $0 } ?? false
            guard isOld || isSurplus else { continue }
            http.retire()
            return true
        }
        return false
    }
}

internal import ReveilleHTTP2
internal import ReveilleNetwork
internal import ReveilleRuntime
internal import ReveilleTelemetry

/// How the set of connections is kept.
extension APNsSender {
    // MARK: Opening

    /// Opens a connection when none takes tries and none is on its way.
    func openFirst() {
        let isCovered = connections.contains { $0.isOpen || $0.isOpening }
        if !isCovered { openAnother() }
    }

    /// Looks the name up, anew for each connection, and connects.
    private func openAnother() {
        guard case .none = opening, phase == .active else { return }
        if let address = configuration.address { return connect(to: [address]) }
        let lookup = NameLookup(resolver: resolver, loop: loop)
        opening = .lookingUp(lookup)
        report()
        lookup.start(configuration.host, port: configuration.port) { [weak self] result in
            self?.lookedUp(result)
        }
    }

    private func lookedUp(_ result: Result<[SocketAddress], any Error>) {
        guard case .lookingUp = opening, phase == .active else { return }
        opening = .none
        switch result {
        case .success(let addresses) where !addresses.isEmpty: connect(to: addresses)
        case .success, .failure:
            log.warning("the name of APNs has no address", ["host": .configured(configuration.host)])
            failed(.notConnected)
        }
    }

    private func connect(to addresses: [SocketAddress]) {
        do throws(HTTP2Error) {
            let connection = try APNsConnection(sender: self)
            connections.append(connection)
            connection.http?.open(to: spread(addresses), tls: configuration.tls.map { ($0, configuration.host) })
        } catch {
            failed(.notConnected)
        }
        if let upkeepTimer, !upkeepTimer.isPending { upkeepTimer.start(after: configuration.upkeepInterval) }
        report()
    }

    /// Begins at another address each time, so that several connections reach several machines.
    private func spread(_ addresses: [SocketAddress]) -> [SocketAddress] {
        let start = random.uniform(0..<addresses.count)
        return Array(addresses[start...] + addresses[..<start])
    }

    private func failed(_ reason: APNsReason) {
        failures += 1
        lastFailure = reason
        guard phase == .active else { return }
        let delay = configuration.backoff.delay(failures: failures, unit: random.unitInterval())
        log.info("waiting before the next connection", ["failures": .integer(failures), "delay": .duration(delay)])
        let timer = loop.schedule(after: delay) { [weak self] in self?.backoffEnded() }
        opening = .waiting(timer)
        report()
    }

    private func backoffEnded() {
        opening = .none
        report()
        pull()
    }

    // MARK: What connections tell

    func connectionProved() {
        failures = 0
        report()
    }

    func connectionChanged(_ connection: APNsConnection) {
        if connection.http?.openedAt != nil, connection.isOpen, !connection.isProven { report() }
        if let goAway = connection.http?.goAway { logGoAway(goAway) }
        guard !connection.isOpen, !connection.isOpening else { return }
        report()
        if hasWork { pull() }
    }

    private func logGoAway(_ goAway: HTTP2GoAway) {
        let body = goAway.debugData.withUnsafeBytes { APNsAnswerBody($0) }
        log.info(
            "APNs leaves a connection",
            ["code": .integer(goAway.code.rawValue), "reason": .code(body.reason ?? .unreadable)])
    }

    func connectionClosed(_ connection: APNsConnection, _ end: ConnectionEnd, answered: Int) {
        connections.removeAll { $0 === connection }
        metrics.connectionsEnded[Self.fate(end)].increment()
        switch phase {
        case .active: break
        case .draining, .drained: return finishDrainIfDone()
        }
        log.info("a connection to APNs ended", ["fate": .code(Self.fate(end)), "answers": .integer(answered)])
        // A connection that brought answers is replaced at once; one that did not may be the server's trouble, or ours.
        if answered == 0, end != .retired {
            failed(end == .noCommonProtocol ? .notAPNs : .notConnected)
        }
        report()
        if hasWork { pull() }
    }

    private static func fate(_ end: ConnectionEnd) -> APNsMetrics.ConnectionFate {
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

    // MARK: Growth and age

    /// Opens another connection when every one was saturated at two looks in a row.
    func lookForSaturation() {
        guard phase == .active, hasWork else {
            saturatedLooks = 0
            return
        }
        growthTimer?.start(after: configuration.growthInterval)
        let useful = connections.filter { $0.isOpen || $0.isOpening }
        guard !useful.isEmpty, useful.count < configuration.connections, useful.allSatisfy(\.isSaturated) else {
            saturatedLooks = 0
            return
        }
        saturatedLooks += 1
        guard saturatedLooks >= 2 else { return }
        saturatedLooks = 0
        openAnother()
    }

    /// Retires connections that are old, and those beyond the first that nobody needs.
    func upkeep() {
        guard phase == .active, !connections.isEmpty else { return }
        upkeepTimer?.start(after: configuration.upkeepInterval)
        let now = loop.now()
        let openCount = connections.reduce(0) { $0 + ($1.isOpen ? 1 : 0) }
        for connection in connections {
            guard let http = connection.http, http.state == .open, let openedAt = http.openedAt else { continue }
            let isOld = now >= openedAt + connection.lifetime
            let isSurplus =
                openCount > 1 && http.openStreams == 0
                && now >= (http.lastUsed ?? openedAt) + configuration.surplusIdle
            if isOld || isSurplus { return http.retire() }
        }
    }
}

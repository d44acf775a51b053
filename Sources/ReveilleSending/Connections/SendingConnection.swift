internal import ReveilleCore
internal import ReveilleHTTP2
internal import ReveilleNetwork
internal import ReveilleRuntime

/// One connection of a set: it fills streams with the lane's tries and hands on what became of them.
///
/// Where a provider wants it so, the first request goes alone until an answer shows that the credential was taken; afterwards, and
/// elsewhere, as many go as the server allows.
final class SendingConnection {
    /// A connection that refuses so many streams one after the other is left.
    static let refusalsThatRetire = 3

    private(set) var http: HTTP2ClientConnection?
    /// Whether as many requests are taken as the server allows.
    private(set) var isUnrestricted: Bool
    /// Whether an answer came that shows that the credential was taken.
    private var hasProof = false
    /// How old it may get: up to a tenth less than the longest, so that connections do not age together.
    let lifetime: Duration
    private let owner: ConnectionSet
    /// Those that carry tries of the same kind.
    let group: ConnectionGroup
    private let requests: any ProviderRequests
    private let buffers: StreamRooms<TryBuffer>
    /// Whether the present run of pulls has what it needs.
    private var isPrepared = false
    private var refusalsInARow = 0
    /// Whether it was counted among those that were opened.
    var wasOpen = false
    /// When the resolver last gave the address of the other side.
    private var addressKnownAt: MonotonicInstant
    private var recheck: NameLookup?

    /// A connection that is not opened yet.
    ///
    /// - Throws: `HTTP2Error` when there is no memory.
    init(owner: ConnectionSet, in group: ConnectionGroup) throws(HTTP2Error) {
        self.owner = owner
        self.group = group
        let (configuration, form, traits) = (owner.configuration, owner.form, owner.traits)
        lifetime = configuration.maximumAge * (1 - 0.1 * owner.random.unitInterval())
        let streams = configuration.limits.http2.maximumStreams
        requests = form.makeRequests(streams: streams)
        buffers = StreamRooms(capacity: streams) { form.makeBuffer() }
        isUnrestricted = !traits.firstRequestGoesAlone
        addressKnownAt = owner.loop.now()
        let http = try HTTP2ClientConnection(
            loop: owner.loop, limits: configuration.limits, watchedFields: traits.watchedFields, source: self)
        http.streamAllowance = isUnrestricted ? .max : 1
        self.http = http
    }

    /// Whether requests are pulled.
    var isOpen: Bool { http?.state == .open }

    /// Whether the server allows any stream at all.
    var allowsStreams: Bool { (http?.peerStreamLimit ?? 0) > 0 }

    /// Whether it is on its way to take more than one request.
    var isOpening: Bool {
        switch http?.state {
        case .connecting: true
        case .open: !isUnrestricted
        case .draining, .closed, nil: false
        }
    }

    /// Whether it takes as many requests as the server allows, and they are under way.
    var isSaturated: Bool {
        guard let http else { return false }
        return http.state == .open && isUnrestricted && http.freeStreams == 0
    }

    /// Requests under way.
    var openStreams: Int { http?.openStreams ?? 0 }

    private func prove() {
        refusalsInARow = 0
        guard !hasProof else { return }
        hasProof = true
        isUnrestricted = true
        http?.streamAllowance = .max
        owner.connectionProved(self)
    }

    // MARK: The address

    /// Whether the address of the other side was asked for so long ago that it must be asked for again; then that has begun.
    private func mustRecheck() -> Bool {
        guard let interval = owner.configuration.recheckInterval, owner.configuration.address == nil else {
            return false
        }
        if recheck != nil { return true }
        guard owner.loop.now() >= addressKnownAt + interval else { return false }
        let lookup = NameLookup(resolver: owner.resolver, loop: owner.loop)
        recheck = lookup
        lookup.start(owner.configuration.host, port: owner.configuration.port) { [weak self] in self?.rechecked($0) }
        return true
    }

    private func rechecked(_ result: Result<[SocketAddress], any Error>) {
        recheck = nil
        guard let http else { return }
        guard case .success(let addresses) = result, let peer = http.peer, addresses.contains(peer) else {
            return http.retire()
        }
        addressKnownAt = owner.loop.now()
        http.pull()
    }
}

extension SendingConnection: HTTP2RequestSource {
    func connectionWillPull(_ connection: HTTP2ClientConnection) {
        // Nothing is fetched or looked up for connections that have nothing to carry.
        isPrepared = owner.hasWork(group) && owner.hasCredential() && !mustRecheck()
        if isPrepared { requests.takeCredential() }
    }

    func connection(_ connection: HTTP2ClientConnection, fill stream: HTTP2ClientStream) -> Bool {
        guard isPrepared else { return false }
        let buffer = buffers[stream.index]
        while owner.nextTry(of: group, into: buffer) {
            guard let end = requests.fill(stream, from: buffer) else {
                connection.mustLeave(by: MonotonicInstant(milliseconds: buffer.leaseUntilMilliseconds))
                return true
            }
            owner.ended(buffer.tag, end)
        }
        return false
    }

    func connection(_ connection: HTTP2ClientConnection, didEnd stream: HTTP2ClientStream) {
        let buffer = buffers[stream.index]
        if requests.isAccepted(stream) {
            if !hasProof || refusalsInARow > 0 { prove() }
            owner.accepted(buffer.tag, status: stream.status)
        } else if let end = requests.read(stream, of: buffer) {
            if end.provesCredential { prove() }
            owner.ended(buffer.tag, end)
            if end.refusesCredential { owner.retireConnections() }
            if end.retiresConnection { http?.retire() }
        } else {
            notAnswered(stream, buffer.tag)
        }
    }

    private func notAnswered(_ stream: HTTP2ClientStream, _ tag: UInt64) {
        let end = UnansweredEnd(
            end: stream.end, progress: stream.progress, serverSaidGoAway: http?.goAway != nil,
            isDrained: owner.isDraining)
        owner.ended(tag, TryEnd(end.result(owner.form.word(for: end), progress: stream.progress)))
        guard end == .refusedStream else { return }
        refusalsInARow += 1
        if refusalsInARow >= Self.refusalsThatRetire { http?.retire() }
    }

    func connectionDidChange(_ connection: HTTP2ClientConnection) {
        owner.connectionChanged(self)
    }

    func connection(_ connection: HTTP2ClientConnection, didClose end: ConnectionEnd) {
        http = nil
        recheck = nil
        owner.connectionClosed(self, end, answered: connection.answeredCount)
    }
}

internal import ReveilleCore
internal import ReveilleHTTP2
internal import ReveilleNetwork
internal import ReveilleRuntime

/// One connection of a sender: it fills streams with the lane's tries and turns their ends into outcomes.
///
/// The first request of a connection goes alone, until an answer shows that APNs took the provider token (Apple, "Sending
/// notification requests to APNs"); afterwards as many as the server allows.
final class APNsConnection {
    /// A connection that refuses so many streams one after the other is left.
    static let refusalsThatRetire = 3

    /// The response fields that are read.
    static let watchedFields: [StaticString] = ["retry-after", "apns-id"]
    private static let retryAfterField = 0

    private(set) var http: HTTP2ClientConnection?
    private var hasProof = false
    /// How old it may get: up to a tenth less than the longest, so that connections do not age together.
    let lifetime: Duration
    private let sender: APNsSender
    /// Those that carry tries of the same standing.
    let group: ConnectionGroup
    private let authority: HeaderText
    private let rooms: APNsRooms
    /// The provider token of the present run of pulls.
    private var token: ProviderToken?
    /// Every token used here, the newest last: requests refer to their octets.
    ///
    /// A day has room for 72.
    private var tokens: [ProviderToken] = []
    private var refusalsInARow = 0
    /// Whether it was counted among those that were opened.
    var wasOpen = false
    /// The expiration sent last: a value that comes again enters the header table, one that does not stays out of it.
    private var lastExpiration: Int64 = -1

    /// A connection that is not opened yet.
    ///
    /// - Throws: `HTTP2Error` when there is no memory.
    init(sender: APNsSender, in group: ConnectionGroup) throws(HTTP2Error) {
        self.sender = sender
        self.group = group
        lifetime = sender.configuration.maximumAge * (1 - 0.1 * sender.random.unitInterval())
        authority = HeaderText(sender.configuration.authority)
        rooms = APNsRooms(capacity: sender.configuration.limits.http2.maximumStreams)
        let http = try HTTP2ClientConnection(
            loop: sender.loop, limits: sender.configuration.limits, watchedFields: Self.watchedFields, source: self)
        http.streamAllowance = 1
        self.http = http
    }

    /// Whether APNs has accepted the provider token on this connection.
    var isProven: Bool { hasProof }

    /// Whether requests are pulled.
    var isOpen: Bool { http?.state == .open }

    /// Whether the server allows any stream at all.
    var allowsStreams: Bool { (http?.peerStreamLimit ?? 0) > 0 }

    /// Whether it is on its way to take more than one request.
    var isOpening: Bool {
        switch http?.state {
        case .connecting: true
        case .open: !hasProof
        case .draining, .closed, nil: false
        }
    }

    /// Whether it takes as many requests as the server allows, and they are under way.
    var isSaturated: Bool {
        guard let http else { return false }
        return http.state == .open && hasProof && http.freeStreams == 0
    }

    /// Requests under way.
    var openStreams: Int { http?.openStreams ?? 0 }

    private func prove() {
        refusalsInARow = 0
        guard !hasProof else { return }
        hasProof = true
        http?.streamAllowance = .max
        sender.connectionProved(self)
    }
}

extension APNsConnection: HTTP2RequestSource {
    func connectionWillPull(_ connection: HTTP2ClientConnection) {
        let present = sender.presentToken
        guard present !== token else { return }
        token = present
        tokens.append(present)
    }

    func connection(_ connection: HTTP2ClientConnection, fill stream: HTTP2ClientStream) -> Bool {
        guard let token else { return false }
        let room = rooms[stream.index]
        while sender.nextTry(of: group, into: room.buffer) {
            do throws(APNsRequestFault) {
                lastExpiration = try room.fill(
                    stream, authority: authority, token: token, lastExpiration: lastExpiration)
                connection.mustLeave(by: MonotonicInstant(milliseconds: room.buffer.leaseUntilMilliseconds))
                return true
            } catch {
                sender.refuse(room.buffer.tag, error)
            }
        }
        return false
    }

    func connection(_ connection: HTTP2ClientConnection, didEnd stream: HTTP2ClientStream) {
        let room = rooms[stream.index]
        // A status alone is no answer: what came with it may be malformed, or its stream reset.
        if stream.end == .answered, stream.status == 200 {
            if !hasProof || refusalsInARow > 0 { prove() }
            sender.accepted(room.buffer.tag)
        } else if stream.end == .answered, stream.status != 0 {
            answered(stream, room)
        } else {
            notAnswered(stream, room)
        }
    }

    private func answered(_ stream: HTTP2ClientStream, _ room: APNsRoom) {
        let body = stream.withBody { APNsAnswerBody($0) }
        let row = APNsOutcomes.row(status: stream.status, reason: body.reason)
        let wait = stream.withWatchedField(Self.retryAfterField) { text in
            text.flatMap { RetryAfter.seconds($0, now: sender.wallClock.now()) }
        }
        var outcome = APNsOutcomes.outcome(of: row, timestamp: body.timestamp, retryAfterSeconds: wait)
        switch row.meaning {
        // Words about the request show that its provider token was taken; a 403, or no word of APNs at all, shows nothing.
        case .accepted, .refused, .deviceGone, .wrongEnvironment, .misconfiguredTopic, .paceDevice:
            if body.reason != nil, stream.status != 403 { prove() }
        case .renewToken: outcome = sender.outcome(ofExpired: token(of: room), row.reason)
        case .misconfiguredLane, .again, .later, .paceLane: break
        }
        sender.ended(room.buffer.tag, TryResult(outcome: outcome, status: stream.status), row.reason)
        if row.refusesCredential { sender.retireConnections() }
        if row.retiresConnection { http?.retire() }
    }

    private func token(of room: APNsRoom) -> ProviderToken? {
        tokens.last { $0.generation == room.tokenGeneration }
    }

    private func notAnswered(_ stream: HTTP2ClientStream, _ room: APNsRoom) {
        let isGoingAway = http?.goAway != nil
        let (result, reason) = APNsTransportOutcomes.result(
            end: stream.end, progress: stream.progress, serverSaidGoAway: isGoingAway, isDrained: sender.isDraining)
        sender.ended(room.buffer.tag, result, reason)
        if reason == .refusedStream {
            refusalsInARow += 1
            if refusalsInARow >= Self.refusalsThatRetire { http?.retire() }
        }
    }

    func connectionDidChange(_ connection: HTTP2ClientConnection) {
        sender.connectionChanged(self)
    }

    func connection(_ connection: HTTP2ClientConnection, didClose end: ConnectionEnd) {
        http = nil
        sender.connectionClosed(self, end, answered: connection.answeredCount)
    }
}

internal import ReveilleCore
internal import ReveilleHTTP2
internal import ReveilleNetwork
internal import ReveilleRuntime
internal import ReveilleSending

/// The requests of one connection to APNs.
final class APNsRequests: ProviderRequests {
    private let form: APNsForm
    private let authority: HeaderText
    private let rooms: StreamRooms<APNsRoom>
    /// The provider token of the present run of pulls.
    private var token: ProviderToken?
    /// Every token used here, the newest last: requests refer to their octets.
    ///
    /// A day has room for 72.
    private var tokens: [ProviderToken] = []
    /// The expiration sent last: a value that comes again enters the header table, one that does not stays out of it.
    private var lastExpiration: Int64 = -1

    init(form: APNsForm, streams: Int) {
        self.form = form
        authority = form.authority
        rooms = StreamRooms(capacity: streams) { APNsRoom() }
    }

    func takeCredential() {
        let present = form.presentToken
        guard present !== token else { return }
        token = present
        tokens.append(present)
    }

    func fill(_ stream: HTTP2ClientStream, from buffer: TryBuffer) -> TryEnd? {
        guard let token else { preconditionFailure("a request was asked for before its credential") }
        do throws(APNsRequestFault) {
            lastExpiration = try rooms[stream.index].fill(
                stream, from: buffer, authority: authority, token: token, lastExpiration: lastExpiration)
            return nil
        } catch {
            return form.unsent(error)
        }
    }

    func isAccepted(_ stream: HTTP2ClientStream) -> Bool {
        // A status alone is no answer: what came with it may be malformed, or its stream reset.
        stream.end == .answered && stream.status == 200
    }

    func read(_ stream: HTTP2ClientStream, of buffer: TryBuffer) -> TryEnd? {
        guard stream.end == .answered, stream.status != 0 else { return nil }
        let body = stream.withBody { APNsAnswerBody($0) }
        let row = APNsOutcomes.row(status: stream.status, reason: body.reason)
        let wait = stream.withWatchedField(APNsForm.retryAfterField) { text in
            text.flatMap { RetryAfter.seconds($0, now: form.wallClock.now()) }
        }
        var outcome = APNsOutcomes.outcome(of: row, timestamp: body.timestamp, retryAfterSeconds: wait)
        var isProof = false
        switch row.meaning {
        // Words about the request show that its provider token was taken; a 403, or no word of APNs at all, shows nothing.
        case .accepted, .refused, .deviceGone, .wrongEnvironment, .misconfiguredTopic, .paceDevice:
            isProof = body.reason != nil && stream.status != 403
        case .renewToken: outcome = form.outcome(ofExpired: token(of: rooms[stream.index]), row.reason)
        case .misconfiguredLane, .again, .later, .paceLane: break
        }
        form.count(row.reason)
        return TryEnd(
            TryResult(outcome: outcome, status: stream.status), provesCredential: isProof,
            retiresConnection: row.retiresConnection, refusesCredential: row.refusesCredential)
    }

    private func token(of room: APNsRoom) -> ProviderToken? {
        tokens.last { $0.generation == room.tokenGeneration }
    }
}

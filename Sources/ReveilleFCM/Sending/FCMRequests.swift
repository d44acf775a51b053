internal import ReveilleCore
internal import ReveilleHTTP2
internal import ReveilleNetwork
internal import ReveilleRuntime
internal import ReveilleSending

/// The requests of one connection to FCM (Firebase, "projects.messages.send").
final class FCMRequests: ProviderRequests {
    /// The longest message that is sent: four times what its data may have.
    static let maximumMessageOctets = 4 * FCMPayload.maximumDataOctets

    /// What is kept for the request of one stream.
    private final class Room {
        /// Of the access token that the request went with.
        var generation = 0
    }

    private let form: FCMForm
    private let authority: HeaderText
    private let path: HeaderText
    private let rooms: StreamRooms<Room>
    /// The access token of the present run of pulls.
    private var token: AccessToken?
    /// Every token used here, the newest last: requests refer to their octets.
    ///
    /// A day has room for 26.
    private var tokens: [AccessToken] = []

    init(form: FCMForm, streams: Int) {
        self.form = form
        authority = form.authority
        path = form.path
        rooms = StreamRooms(capacity: streams) { Room() }
    }

    /// The target of a project's messages.
    static func path(ofProject project: String) -> String { "/v1/projects/\(project)/messages:send" }

    func takeCredential() {
        guard let present = form.access.present, present !== token else { return }
        token = present
        tokens.append(present)
    }

    func fill(_ stream: HTTP2ClientStream, from buffer: TryBuffer) -> TryEnd? {
        guard let token, let authorization = token.authorization.baseAddress else {
            preconditionFailure("a request was asked for before its credential")
        }
        let count = buffer.payloadCount
        guard (1...min(Self.maximumMessageOctets, buffer.payload.count)).contains(count) else {
            form.count(.invalidRequest)
            return .unsent(.refused(reason: FCMOutcomes.word(.invalidRequest)))
        }
        rooms[stream.index].generation = token.generation
        stream.add(":method", "POST")
        stream.add(":scheme", "https")
        stream.add(":authority", authority.start, count: authority.count, .indexed)
        stream.add(":path", path.start, count: path.count, .indexed)
        stream.add("content-type", "application/json; charset=utf-8")
        // Errors then carry what FCM itself says of them.
        stream.add("x-goog-api-format-version", "2")
        stream.add("authorization", authorization, count: token.authorization.count, .neverIndexed)
        stream.setBody(UnsafeRawBufferPointer(start: buffer.payload.baseAddress, count: count))
        return nil
    }

    func isAccepted(_ stream: HTTP2ClientStream) -> Bool {
        guard stream.end == .answered, stream.status == 200, stream.withBody({ FCMAnswerBody.namesMessage($0) })
        else { return false }
        form.access.accepted(rooms[stream.index].generation)
        return true
    }

    func read(_ stream: HTTP2ClientStream, of buffer: TryBuffer) -> TryEnd? {
        // A status alone is no answer: what came with it may be malformed, or its stream reset.
        guard stream.end == .answered, stream.status != 0 else { return nil }
        let body = stream.withBody { FCMAnswerBody($0) }
        let row = FCMOutcomes.row(status: stream.status, body: body)
        let wait = stream.withWatchedField(FCMForm.retryAfterField) { text in
            text.flatMap { RetryAfter.seconds($0, now: form.wallClock.now()) }
        }
        var outcome = FCMOutcomes.outcome(of: row, retryAfterSeconds: wait)
        if row.meaning == .renewToken, !form.access.rejected(rooms[stream.index].generation) {
            outcome = .misconfigured(reason: FCMOutcomes.word(row.reason), scope: .lane)
        }
        form.count(row.reason)
        // Only who was let in hears FCM's own words.
        return TryEnd(TryResult(outcome: outcome, status: stream.status), provesCredential: body.errorCode != nil)
    }
}

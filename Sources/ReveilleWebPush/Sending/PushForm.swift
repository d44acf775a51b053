internal import ReveilleCore
internal import ReveilleEndpoints
internal import ReveilleHTTP2
internal import ReveilleNetwork
internal import ReveilleRuntime
internal import ReveilleSending
internal import ReveilleTelemetry

/// How tries become requests to one push service, and what its answers mean; confined to the lane's loop.
final class PushForm: ProviderForm {
    /// The response fields that are read, by position.
    private static let watchedFields: [StaticString] = ["retry-after", "x-wns-status"]
    private static let retryAfterField = 0
    static let notificationStatusField = 1

    let kind: EndpointKind
    let policy: EndpointPolicy
    let encryption = MessageEncryption()
    /// The lane's origin, which is also the audience of its tokens.
    let origin: String
    /// The value of `:authority`.
    let authority: HeaderText
    /// Whether Microsoft's rules apply.
    let isMicrosoft: Bool
    private let tokens: VAPIDTokens
    private let metrics: PushMetrics
    private let wallClock: any WallClock
    private var unpadded = UnpaddedWakes()

    init(
        url: EndpointURL, kind: EndpointKind, policy: EndpointPolicy, tokens: VAPIDTokens, metrics: PushMetrics,
        wallClock: any WallClock
    ) {
        self.kind = kind
        self.policy = policy
        self.tokens = tokens
        self.metrics = metrics
        self.wallClock = wallClock
        origin = url.origin
        authority = HeaderText(url.authority)
        isMicrosoft = url.host.text.hasSuffix(".notify.windows.com")
    }

    /// Where a client's endpoint leads is the client's to tell: the name of the host is not logged.
    var traits: ProviderTraits {
        ProviderTraits(
            component: kind == .webPush ? "webpush" : "unifiedpush", watchedFields: Self.watchedFields, namesHost: false
        )
    }

    /// Tokens are signed here: there is always one.
    func credential() -> CredentialState { .present }

    func makeBuffer() -> TryBuffer {
        TryBuffer(addressCapacity: PushSubscription.maximumOctets, payloadCapacity: WebPushPayload.maximumOctets)
    }

    func makeRequests(streams: Int) -> any ProviderRequests { PushRequests(form: self, streams: streams) }

    // MARK: For requests

    /// The token to send with now.
    var presentToken: VAPIDToken { tokens.current(for: origin) }

    /// Whether the service found the wake too large when it was padded.
    func goesUnpadded(_ buffer: TryBuffer) -> Bool { unpadded.contains(buffer.requestID) }

    /// What remains of a life, in whole seconds.
    func remainingSeconds(until expiration: Int64) -> Int64 { max(0, expiration - wallClock.now().seconds) }

    /// Ends a try that was not sent.
    func refuse(_ reason: WebPushReason) -> TryEnd {
        metrics.reasons[reason].increment()
        let word = WebPushOutcomes.word(reason)
        let outcome: Outcome =
            reason == .invalidRequest ? .refused(reason: word) : .misconfigured(reason: word, scope: .subscription)
        return .unsent(outcome)
    }

    /// What an answer means.
    func read(_ stream: HTTP2ClientStream, wasPadded: Bool, _ buffer: TryBuffer) -> TryEnd {
        let answer = WebPushOutcomes.Answer(
            status: stream.status, body: stream.withBody { WebPushAnswerBody($0) },
            notificationStatus: stream.withWatchedField(Self.notificationStatusField, Self.notificationStatus))
        let row = WebPushOutcomes.row(answer)
        let wait = stream.withWatchedField(Self.retryAfterField) { text in
            text.flatMap { RetryAfter.seconds($0, now: wallClock.now()) }
        }
        let outcome = WebPushOutcomes.outcome(of: row, retryAfterSeconds: wait, wasPadded: wasPadded)
        if row.meaning == .tooLarge, wasPadded { unpadded.insert(buffer.requestID) }
        if row.meaning != .accepted { metrics.reasons[row.reason].increment() }
        return TryEnd(
            TryResult(outcome: outcome, status: stream.status), provesCredential: Self.isOfService(row),
            // Who goes on behind an answer that was long enough is not listened to any longer.
            retiresConnection: row.meaning == .again || stream.end != .answered)
    }

    /// Whether a push service answered that works: then the next connection need not be waited for.
    private static func isOfService(_ row: WebPushOutcomes.Row) -> Bool {
        switch row.meaning {
        case .accepted, .refused, .tooLarge, .deviceGone, .paceDevice, .paceLong: true
        case .misconfigured: row.reason != .webPage && row.reason != .redirect
        case .again, .later: false
        }
    }

    /// Microsoft's word for what became of a message (field reports; "Push notification service request and response headers").
    private static func notificationStatus(_ text: UnsafeRawBufferPointer?) -> WebPushReason? {
        guard let text else { return nil }
        if text.elementsEqual("dropped".utf8) { return .dropped }
        return text.elementsEqual("channelthrottled".utf8) ? .channelThrottled : nil
    }

    // MARK: Words

    func word(for fault: ConnectionFault) -> ProviderReason {
        switch fault {
        case .notConnected: WebPushOutcomes.word(.notConnected)
        case .wrongProtocol: WebPushOutcomes.word(.wrongProtocol)
        case .noStreams: WebPushOutcomes.word(.noStreams)
        }
    }

    func word(for end: UnansweredEnd) -> ProviderReason {
        let reason: WebPushReason =
            switch end {
            case .notSent: .notSent
            case .goAway: .goAway
            case .refusedStream: .refusedStream
            case .connectionLost: .connectionLost
            case .drained: .drained
            case .noAnswer: .noAnswer
            case .streamReset: .streamReset
            }
        metrics.reasons[reason].increment()
        return WebPushOutcomes.word(reason)
    }
}

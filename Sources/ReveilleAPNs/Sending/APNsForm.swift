internal import ReveilleCore
internal import ReveilleHTTP2
internal import ReveilleNetwork
internal import ReveilleRuntime
package import ReveilleSending
internal import ReveilleTelemetry

/// How APNs is spoken to (Apple, "Sending notification requests to APNs").
///
/// The first request of a connection goes alone, until an answer shows that APNs took the provider token.
final class APNsForm: ProviderForm {
    /// Where `Retry-After` stands among the fields that are kept.
    static let retryAfterField = 0

    let traits = ProviderTraits(
        component: "apns", watchedFields: ["retry-after", "apns-id"], firstRequestGoesAlone: true)
    let authority: HeaderText
    let wallClock: any WallClock
    private let log: Log
    private let metrics: APNsMetrics
    private let providerTokens: ProviderTokens

    init(
        authority: String, providerTokens: ProviderTokens, wallClock: any WallClock, log: Log, metrics: APNsMetrics
    ) {
        self.authority = HeaderText(authority)
        self.providerTokens = providerTokens
        self.wallClock = wallClock
        self.log = log.scoped("apns")
        self.metrics = metrics
    }

    /// Provider tokens are made here, so there always is one.
    func credential() -> CredentialState { .present }

    func makeBuffer() -> TryBuffer { TryBuffer() }

    func makeRequests(streams: Int) -> any ProviderRequests { APNsRequests(form: self, streams: streams) }

    func word(for fault: ConnectionFault) -> ProviderReason {
        switch fault {
        case .notConnected: APNsOutcomes.word(.notConnected)
        case .wrongProtocol: APNsOutcomes.word(.notAPNs)
        case .noStreams: APNsOutcomes.word(.noStreams)
        }
    }

    func word(for end: UnansweredEnd) -> ProviderReason {
        let reason = APNsReason(end)
        count(reason)
        return APNsOutcomes.word(reason)
    }

    func reason(inGoAway debugData: UnsafeRawBufferPointer) -> LogValue {
        .code(APNsAnswerBody(debugData).reason ?? .unreadable)
    }

    /// Counts a try that was not accepted.
    func count(_ reason: APNsReason) { metrics.reasons[reason].increment() }

    /// The provider token to send with now.
    var presentToken: ProviderToken { providerTokens.current() }

    /// The end of a try that is wrong in itself.
    func unsent(_ fault: APNsRequestFault) -> TryEnd {
        log.error("a try was not sent", ["fault": .code(fault)])
        count(fault.reason)
        let word = APNsOutcomes.word(fault.reason)
        return .unsent(fault == .topic ? .misconfigured(reason: word, scope: .topic) : .refused(reason: word))
    }

    /// What an expired provider token means: a new one once, or a clock that an operator must look at.
    func outcome(ofExpired token: ProviderToken?, _ reason: APNsReason) -> Outcome {
        let word = APNsOutcomes.word(reason)
        guard let token, let renewed = providerTokens.renewed(after: token) else {
            log.error("APNs calls a young provider token expired: check the clock")
            return .misconfigured(reason: word, scope: .lane)
        }
        log.notice("renewed the provider token", ["generation": .integer(renewed.generation)])
        return .renewCredential(reason: word)
    }
}

extension APNsReason {
    /// The word for a request that APNs did not answer.
    package init(_ end: UnansweredEnd) {
        self =
            switch end {
            case .notSent: .notSent
            case .goAway: .goAway
            case .refusedStream: .refusedStream
            case .connectionLost: .connectionLost
            case .drained: .drained
            case .noAnswer: .noAnswer
            case .streamReset: .streamReset
            }
    }
}

internal import ReveilleCore
internal import ReveilleRuntime
internal import ReveilleSending
internal import ReveilleTelemetry

/// How FCM is spoken to.
final class FCMForm: ProviderForm {
    /// Where `Retry-After` stands among the fields that are kept.
    static let retryAfterField = 0
    /// A message of the longest shape for the longest token is shorter.
    private static let payloadCapacity = 1_024

    let traits = ProviderTraits(component: "fcm", watchedFields: ["retry-after"])
    let authority: HeaderText
    /// The one path of a project.
    let path: HeaderText
    let access: FCMCredential
    let wallClock: any WallClock
    private let metrics: FCMMetrics

    init(
        authority: String, project: String, access: FCMCredential, wallClock: any WallClock, metrics: FCMMetrics
    ) {
        self.authority = HeaderText(authority)
        path = HeaderText(FCMRequests.path(ofProject: project))
        self.access = access
        self.wallClock = wallClock
        self.metrics = metrics
    }

    func credential() -> CredentialState { access.state() }

    func start(_ changed: @escaping () -> Void) { access.start(changed) }

    func stop() { access.stop() }

    /// The message names its device: there is nothing else to address.
    func makeBuffer() -> TryBuffer { TryBuffer(addressCapacity: 1, payloadCapacity: Self.payloadCapacity) }

    func makeRequests(streams: Int) -> any ProviderRequests { FCMRequests(form: self, streams: streams) }

    func word(for fault: ConnectionFault) -> ProviderReason {
        switch fault {
        case .notConnected: FCMOutcomes.word(.notConnected)
        case .wrongProtocol: FCMOutcomes.word(.notFCM)
        case .noStreams: FCMOutcomes.word(.noStreams)
        }
    }

    func word(for end: UnansweredEnd) -> ProviderReason {
        let reason = FCMReason(end)
        count(reason)
        return FCMOutcomes.word(reason)
    }

    /// Counts a try that was not accepted.
    func count(_ reason: FCMReason) { metrics.reasons[reason].increment() }
}

extension FCMReason {
    /// The word for a request that FCM did not answer.
    init(_ end: UnansweredEnd) {
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

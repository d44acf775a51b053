internal import ReveilleCore
package import ReveilleTelemetry

/// What the connection sets of one provider count; one for the process and provider.
package struct SendingMetrics: Sendable {
    /// What became of a try.
    package enum Result: String, MetricLabel {
        case accepted, retry, unknown, renewCredential = "renew_credential", deviceGone = "device_gone"
        case wrongEnvironment = "wrong_environment", misconfigured, refused

        init(_ outcome: Outcome) {
            self =
                switch outcome {
                case .accepted: .accepted
                case .retry: .retry
                case .unknown: .unknown
                case .renewCredential: .renewCredential
                case .deviceGone: .deviceGone
                case .wrongEnvironment: .wrongEnvironment
                case .misconfigured: .misconfigured
                case .refused: .refused
                }
        }
    }

    /// Why a connection ended.
    package enum ConnectionFate: String, MetricLabel {
        case retired, serverLeft = "server_left", notOpened = "not_opened", noCommonProtocol = "no_common_protocol"
        case lost, silent, protocolViolation = "protocol_violation"
    }

    let results: MetricFamily<Result, Counter>
    let accepted: Counter
    let connectionsOpened: Counter
    let connectionsEnded: MetricFamily<ConnectionFate, Counter>

    /// Takes the counters that a provider registered under its own names.
    package init(
        results: MetricFamily<Result, Counter>, connectionsOpened: Counter,
        connectionsEnded: MetricFamily<ConnectionFate, Counter>
    ) {
        self.results = results
        accepted = results[.accepted]
        self.connectionsOpened = connectionsOpened
        self.connectionsEnded = connectionsEnded
    }
}

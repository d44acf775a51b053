internal import ReveilleSending
package import ReveilleTelemetry

/// What senders to FCM count; one for the process.
package struct FCMMetrics: Sendable {
    /// What became of a question for an access token.
    enum Exchange: String, MetricLabel {
        case issued
        /// To be asked again: busy, or out of reach.
        case later
        /// An operator must act.
        case refused
    }

    let sending: SendingMetrics
    let reasons: MetricFamily<FCMReason, Counter>
    private let exchanges: MetricFamily<Exchange, Counter>

    /// Registers the counters.
    package init(_ registry: MetricsRegistry) {
        let results = registry.counter(
            "reveille_fcm_tries_total", help: "Ends of tries at FCM.", label: "result", SendingMetrics.Result.self)
        reasons = registry.counter(
            "reveille_fcm_reasons_total", help: "Reasons of tries at FCM that were not accepted.", label: "reason",
            FCMReason.self)
        exchanges = registry.counter(
            "reveille_fcm_token_exchanges_total", help: "Questions for an access token.", label: "result",
            Exchange.self)
        let connectionsOpened = registry.counter(
            "reveille_fcm_connections_opened_total", help: "Connections to FCM that were opened.")
        let connectionsEnded = registry.counter(
            "reveille_fcm_connections_ended_total", help: "Connections to FCM that ended.", label: "fate",
            SendingMetrics.ConnectionFate.self)
        sending = SendingMetrics(
            results: results, connectionsOpened: connectionsOpened, connectionsEnded: connectionsEnded)
    }

    func count(_ answer: TokenAnswer) {
        let result: Exchange =
            switch answer {
            case .token: .issued
            case .later: .later
            case .refused: .refused
            }
        exchanges[result].increment()
    }
}

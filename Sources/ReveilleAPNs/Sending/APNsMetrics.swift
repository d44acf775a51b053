package import ReveilleTelemetry

/// What senders count; one for the process.
package struct APNsMetrics: Sendable {
    /// What became of a try.
    package enum Result: String, MetricLabel {
        case accepted, retry, unknown, renewCredential = "renew_credential", deviceGone = "device_gone"
        case wrongEnvironment = "wrong_environment", misconfigured, refused
    }

    /// Why a connection ended.
    package enum ConnectionFate: String, MetricLabel {
        case retired, serverLeft = "server_left", notOpened = "not_opened", noCommonProtocol = "no_common_protocol"
        case lost, silent, protocolViolation = "protocol_violation"
    }

    let results: MetricFamily<Result, Counter>
    let accepted: Counter
    let reasons: MetricFamily<APNsReason, Counter>
    let connectionsOpened: Counter
    let connectionsEnded: MetricFamily<ConnectionFate, Counter>

    /// Registers the counters.
    package init(_ registry: MetricsRegistry) {
        results = registry.counter(
            "reveille_apns_tries_total", help: "Ends of tries at APNs.", label: "result", Result.self)
        accepted = results[.accepted]
        reasons = registry.counter(
            "reveille_apns_reasons_total", help: "Reasons of tries that were not accepted.", label: "reason",
            APNsReason.self)
        connectionsOpened = registry.counter(
            "reveille_apns_connections_opened_total", help: "Connections to APNs that were opened.")
        connectionsEnded = registry.counter(
            "reveille_apns_connections_ended_total", help: "Connections to APNs that ended.", label: "fate",
            ConnectionFate.self)
    }
}

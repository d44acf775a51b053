internal import ReveilleSending
package import ReveilleTelemetry

/// What senders to APNs count; one for the process.
package struct APNsMetrics: Sendable {
    let sending: SendingMetrics
    let reasons: MetricFamily<APNsReason, Counter>

    /// Registers the counters.
    package init(_ registry: MetricsRegistry) {
        let results = registry.counter(
            "reveille_apns_tries_total", help: "Ends of tries at APNs.", label: "result", SendingMetrics.Result.self)
        reasons = registry.counter(
            "reveille_apns_reasons_total", help: "Reasons of tries that were not accepted.", label: "reason",
            APNsReason.self)
        let connectionsOpened = registry.counter(
            "reveille_apns_connections_opened_total", help: "Connections to APNs that were opened.")
        let connectionsEnded = registry.counter(
            "reveille_apns_connections_ended_total", help: "Connections to APNs that ended.", label: "fate",
            SendingMetrics.ConnectionFate.self)
        sending = SendingMetrics(
            results: results, connectionsOpened: connectionsOpened, connectionsEnded: connectionsEnded)
    }
}

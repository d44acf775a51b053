package import ReveilleEndpoints
internal import ReveilleSending
package import ReveilleTelemetry

/// What the senders of one kind of endpoint count; one for the process.
package struct PushMetrics: Sendable {
    /// What every sender counts.
    let sending: SendingMetrics
    let reasons: MetricFamily<WebPushReason, Counter>

    /// Registers the counters.
    package init(_ registry: MetricsRegistry, kind: EndpointKind) {
        switch kind {
        case .webPush: self.init(webPush: registry)
        case .unifiedPush: self.init(unifiedPush: registry)
        }
    }

    private init(webPush registry: MetricsRegistry) {
        sending = SendingMetrics(
            results: registry.counter(
                "reveille_webpush_tries_total", help: "Ends of tries at push services of browsers.", label: "result",
                SendingMetrics.Result.self),
            connectionsOpened: registry.counter(
                "reveille_webpush_connections_opened_total",
                help: "Connections to push services of browsers that were opened."),
            connectionsEnded: registry.counter(
                "reveille_webpush_connections_ended_total",
                help: "Connections to push services of browsers that ended.", label: "fate",
                SendingMetrics.ConnectionFate.self))
        reasons = registry.counter(
            "reveille_webpush_reasons_total", help: "Reasons of tries that were not accepted.", label: "reason",
            WebPushReason.self)
    }

    private init(unifiedPush registry: MetricsRegistry) {
        sending = SendingMetrics(
            results: registry.counter(
                "reveille_unifiedpush_tries_total", help: "Ends of tries at push servers of UnifiedPush.",
                label: "result", SendingMetrics.Result.self),
            connectionsOpened: registry.counter(
                "reveille_unifiedpush_connections_opened_total",
                help: "Connections to push servers of UnifiedPush that were opened."),
            connectionsEnded: registry.counter(
                "reveille_unifiedpush_connections_ended_total",
                help: "Connections to push servers of UnifiedPush that ended.", label: "fate",
                SendingMetrics.ConnectionFate.self))
        reasons = registry.counter(
            "reveille_unifiedpush_reasons_total", help: "Reasons of tries that were not accepted.", label: "reason",
            WebPushReason.self)
    }
}

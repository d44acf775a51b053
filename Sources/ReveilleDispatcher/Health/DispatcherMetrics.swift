package import ReveilleCore
package import ReveilleTelemetry

/// The figures of all lanes of a process; made once.
package struct DispatcherMetrics: Sendable {
    /// The bounds of the time from commit to wire.
    private static let wireBounds: [Duration] = [
        .milliseconds(1), .milliseconds(2), .milliseconds(5), .milliseconds(10), .milliseconds(25), .milliseconds(50),
        .milliseconds(100), .milliseconds(250), .milliseconds(500), .seconds(1), .seconds(5), .seconds(30),
        .seconds(60),
        .seconds(600), .seconds(3_600),
    ]
    /// Stands for a reason that is not on the list, which a test of the providers' tables keeps from happening.
    private static let otherReason = "other"

    let sent: MetricFamily<LaneLabel, Counter>
    let outcomes: MetricFamily2<LaneLabel, OutcomeLabel, Counter>
    let devices: MetricFamily2<LaneLabel, DeviceChangeLabel, Counter>
    let commitToWire: MetricFamily<LaneLabel, Histogram>
    let paused: MetricFamily<LaneLabel, Gauge>
    let paced: MetricFamily<LaneLabel, Gauge>
    let blocked: MetricFamily<LaneLabel, Gauge>
    let caughtUp: MetricFamily<LaneLabel, Counter>
    let storeFailures: MetricFamily<StoreCallLabel, Counter>
    private let stages: MetricTable<Gauge>
    private let reasons: MetricTable<Counter>
    private let positions: [String: Int]

    /// Registers the metrics.
    ///
    /// - Parameter reasons: every word that a provider's table can give; the closed set of the label.
    package init(registry: MetricsRegistry, reasons words: [ProviderReason]) {
        sent = registry.counter(
            "reveille_tries_total", help: "Tries handed to a connection.", label: "lane", LaneLabel.self)
        outcomes = registry.counter(
            "reveille_try_outcomes_total", help: "Ended tries by outcome.", labels: ("lane", "outcome"), LaneLabel.self,
            OutcomeLabel.self)
        devices = registry.counter(
            "reveille_device_changes_total", help: "What answers of providers did to devices.",
            labels: ("lane", "change"), LaneLabel.self, DeviceChangeLabel.self)
        commitToWire = registry.histogram(
            "reveille_commit_to_wire_seconds", help: "From the commit of a wake to its first try.",
            bounds: Self.wireBounds, label: "lane", LaneLabel.self)
        paused = registry.gauge(
            "reveille_lane_pauses", help: "Pauses of the lane and its topics until an operator acts.", label: "lane",
            LaneLabel.self)
        paced = registry.gauge(
            "reveille_lane_paced", help: "1 while a lane waits because its provider asked for patience.", label: "lane",
            LaneLabel.self)
        blocked = registry.gauge(
            "reveille_lane_blocked", help: "1 while a provider lets no request begin on open connections.",
            label: "lane",
            LaneLabel.self)
        caughtUp = registry.counter(
            "reveille_catch_up_wakes_total", help: "Wakes that stand for those of a pause.", label: "lane",
            LaneLabel.self)
        storeFailures = registry.counter(
            "reveille_dispatch_store_failures_total", help: "Calls of the store that failed, by call.", label: "call",
            StoreCallLabel.self)
        stages = registry.gauge(
            "reveille_lane_wakes", help: "Wakes in the hands of a lane.",
            labels: [MetricLabelValues("lane", LaneLabel.self), MetricLabelValues("stage", StageLabel.self)])
        let list = words.map(\.word).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        self.reasons = registry.counter(
            "reveille_provider_reasons_total", help: "Words of providers in answers other than accepted.",
            labels: [
                MetricLabelValues("lane", LaneLabel.self), MetricLabelValues("reason", list + [Self.otherReason]),
            ])
        positions = Dictionary(uniqueKeysWithValues: list.enumerated().map { ($1, $0) })
    }

    /// Counts a provider's word.
    func count(_ reason: ProviderReason, on lane: LaneLabel) {
        reasons[Self.position(of: lane), positions[reason.word] ?? positions.count].increment()
    }

    /// The gauge of one stage.
    func gauge(_ stage: StageLabel, of lane: LaneLabel) -> Gauge {
        stages[Self.position(of: lane), Self.position(of: stage)]
    }

    private static func position<Label: MetricLabel>(of label: Label) -> Int {
        Label.allCases.enumerated().first { $0.element == label }?.offset ?? 0
    }
}

/// The figures of one lane, looked up once.
struct LaneMetrics {
    let label: LaneLabel
    let sent: Counter
    let accepted: Counter
    let commitToWire: Histogram
    let paused: Gauge
    let paced: Gauge
    let blocked: Gauge
    let unsent: Gauge
    let inFlight: Gauge
    let unsettled: Gauge
    let returning: Gauge
    private let all: DispatcherMetrics

    init(_ metrics: DispatcherMetrics, lane: LaneLabel) {
        label = lane
        all = metrics
        sent = metrics.sent[lane]
        accepted = metrics.outcomes[lane, .accepted]
        commitToWire = metrics.commitToWire[lane]
        paused = metrics.paused[lane]
        paced = metrics.paced[lane]
        blocked = metrics.blocked[lane]
        unsent = metrics.gauge(.unsent, of: lane)
        inFlight = metrics.gauge(.inFlight, of: lane)
        unsettled = metrics.gauge(.unsettled, of: lane)
        returning = metrics.gauge(.returning, of: lane)
    }

    func count(_ outcome: Outcome) {
        switch outcome {
        case .accepted: accepted.increment()
        case .retry(let reason, _), .unknown(let reason), .renewCredential(let reason), .deviceGone(let reason, _),
            .wrongEnvironment(let reason), .misconfigured(let reason, _), .refused(let reason):
            all.outcomes[label, OutcomeLabel(outcome)].increment()
            all.count(reason, on: label)
        }
    }

    func count(_ change: DeviceChange) {
        switch change {
        case .disable: all.devices[label, .disabled].increment()
        case .quarantine: all.devices[label, .quarantined].increment()
        case .succeeded(environmentMoved: true): all.devices[label, .environmentMoved].increment()
        case .none, .succeeded, .noteRefusal: break
        }
    }

    func countCaughtUp(_ count: Int) { all.caughtUp[label].increment(by: count) }

    func countFailure(_ call: StoreCallLabel) { all.storeFailures[call].increment() }
}

internal import ReveilleRuntime

/// All metrics of a process, and their text for Prometheus.
///
/// Metrics are made once, at start; making two with one name is a programmer's error and traps.
package final class MetricsRegistry: Sendable {
    private let families = Locked<[RegisteredFamily]>([])

    /// A registry without metrics.
    package init() {}

    // MARK: Counters

    /// A counter without labels, whose name should end in `_total`.
    package func counter(_ name: StaticString, help: StaticString) -> Counter {
        let counter = Counter()
        register(name, help, .counter, [], [.counter(counter)])
        return counter
    }

    /// Counters, one for each value of a label.
    package func counter<Label: MetricLabel>(
        _ name: StaticString, help: StaticString, label: StaticString, _ type: Label.Type
    ) -> MetricFamily<Label, Counter> {
        MetricFamily(counters(name, help, [MetricLabelValues(label, type)]))
    }

    /// Counters, one for each pair of values of two labels.
    package func counter<First: MetricLabel, Second: MetricLabel>(
        _ name: StaticString, help: StaticString, labels: (StaticString, StaticString),
        _ first: First.Type, _ second: Second.Type
    ) -> MetricFamily2<First, Second, Counter> {
        MetricFamily2(
            counters(
                name, help, [MetricLabelValues(labels.0, first), MetricLabelValues(labels.1, second)]))
    }

    /// Counters over lists of values that are complete at start.
    package func counter(
        _ name: StaticString, help: StaticString, labels: [MetricLabelValues]
    ) -> MetricTable<Counter> {
        MetricTable(counters(name, help, labels), sizes: labels.map(\.values.count))
    }

    // MARK: Gauges

    /// A gauge without labels.
    package func gauge(_ name: StaticString, help: StaticString) -> Gauge {
        let gauge = Gauge()
        register(name, help, .gauge, [], [.gauge(gauge)])
        return gauge
    }

    /// A gauge that is asked for its number when the text is made; `read` must be quick and must not use the registry.
    package func gauge(
        _ name: StaticString, help: StaticString, read: @escaping @Sendable () -> Int
    ) {
        register(name, help, .gauge, [], [.reading(read)])
    }

    /// Gauges, one for each value of a label.
    package func gauge<Label: MetricLabel>(
        _ name: StaticString, help: StaticString, label: StaticString, _ type: Label.Type
    ) -> MetricFamily<Label, Gauge> {
        MetricFamily(gauges(name, help, [MetricLabelValues(label, type)]))
    }

    /// Gauges over lists of values that are complete at start.
    package func gauge(
        _ name: StaticString, help: StaticString, labels: [MetricLabelValues]
    ) -> MetricTable<Gauge> {
        MetricTable(gauges(name, help, labels), sizes: labels.map(\.values.count))
    }

    // MARK: Histograms

    /// A histogram of durations with the given upper bounds, whose name should end in `_seconds`.
    package func histogram(
        _ name: StaticString, help: StaticString, bounds: [Duration]
    ) -> Histogram {
        let histogram = Histogram(
            unit: .seconds, bounds: Self.checked(bounds.map { Int($0.saturatedNanoseconds) }))
        register(name, help, .histogram, [], [.histogram(histogram)])
        return histogram
    }

    /// Histograms of durations, one for each value of a label.
    package func histogram<Label: MetricLabel>(
        _ name: StaticString, help: StaticString, bounds: [Duration], label: StaticString,
        _ type: Label.Type
    ) -> MetricFamily<Label, Histogram> {
        let bounds = Self.checked(bounds.map { Int($0.saturatedNanoseconds) })
        let labels = [MetricLabelValues(label, type)]
        let histograms = (0..<Self.size(of: labels)).map { _ in
            Histogram(unit: .seconds, bounds: bounds)
        }
        register(name, help, .histogram, labels, histograms.map { .histogram($0) })
        return MetricFamily(histograms)
    }

    /// A histogram of counts or sizes with the given upper bounds.
    package func histogram(
        _ name: StaticString, help: StaticString, countBounds: [Int]
    ) -> Histogram {
        let histogram = Histogram(unit: .count, bounds: Self.checked(countBounds))
        register(name, help, .histogram, [], [.histogram(histogram)])
        return histogram
    }

    // MARK: Text

    /// All metrics in the Prometheus text exposition format, version 0.0.4, in the order of their registration.
    package func prometheusText() -> String {
        let families = families.withLock { $0 }
        var text = PrometheusText()
        for family in families { text.add(family) }
        return text.text
    }

    /// The media type of ``prometheusText()``.
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    // MARK: Registration

    private func counters(
        _ name: StaticString, _ help: StaticString, _ labels: [MetricLabelValues]
    ) -> [Counter] {
        let counters = (0..<Self.size(of: labels)).map { _ in Counter() }
        register(name, help, .counter, labels, counters.map { .counter($0) })
        return counters
    }

    private func gauges(
        _ name: StaticString, _ help: StaticString, _ labels: [MetricLabelValues]
    ) -> [Gauge] {
        let gauges = (0..<Self.size(of: labels)).map { _ in Gauge() }
        register(name, help, .gauge, labels, gauges.map { .gauge($0) })
        return gauges
    }

    private static func size(of labels: [MetricLabelValues]) -> Int {
        labels.reduce(1) { $0 * $1.values.count }
    }

    private static func checked(_ bounds: [Int]) -> [Int] {
        precondition(zip(bounds, bounds.dropFirst()).allSatisfy(<), "bounds must ascend")
        return bounds
    }

    private func register(
        _ name: StaticString, _ help: StaticString, _ kind: RegisteredFamily.Kind,
        _ labels: [MetricLabelValues], _ series: [RegisteredFamily.Series]
    ) {
        let family = RegisteredFamily(
            name: name.description, help: help.description, kind: kind, labels: labels,
            series: series)
        precondition(family.hasValidNames, "a metric's name or label is not one of Prometheus")
        families.withLock { families in
            precondition(!families.contains { $0.name == family.name }, "a metric with this name exists")
            families.append(family)
        }
    }
}

import ReveilleTelemetry
import Testing

private enum Outcome: String, MetricLabel {
    case accepted, retry
}

private enum Lane: String, MetricLabel {
    case apns
    case odd = "a\"b\\c\nd"
}

@Suite("Metrics")
struct MetricsTests {
    @Test("are shown in the text format of Prometheus, every series from the start")
    func text() {
        let registry = MetricsRegistry()
        let posts = registry.counter("posts_total", help: "Posts accepted.")
        let tries = registry.counter("tries_total", help: "Tries \\ by\noutcome.", label: "outcome", Outcome.self)
        let wakes = registry.counter(
            "wakes_total", help: "Wakes.", labels: ("lane", "outcome"), Lane.self, Outcome.self)
        let depth = registry.gauge("depth", help: "Depth.")
        let open = registry.gauge("open", help: "Open.", label: "lane", Lane.self)
        registry.gauge("asked", help: "Asked.") { 42 }
        let routes = registry.counter(
            "requests_total", help: "Requests.",
            labels: [MetricLabelValues("route", ["/a", "/b"]), MetricLabelValues("outcome", Outcome.self)])
        let slots = registry.gauge("slots", help: "Slots.", labels: [MetricLabelValues("loop", ["0", "1"])])
        slots[1].set(3)
        posts.increment()
        posts.increment(by: 4)
        tries[.retry].increment()
        wakes[.apns, .accepted].increment(by: 2)
        wakes[.odd, .retry].increment(by: 3)
        depth.set(7)
        depth.add(-9)
        open[.apns].set(1)
        routes[1, 0].increment(by: 8)
        #expect(
            registry.prometheusText() == """
                # HELP posts_total Posts accepted.
                # TYPE posts_total counter
                posts_total 5
                # HELP tries_total Tries \\\\ by\\noutcome.
                # TYPE tries_total counter
                tries_total{outcome="accepted"} 0
                tries_total{outcome="retry"} 1
                # HELP wakes_total Wakes.
                # TYPE wakes_total counter
                wakes_total{lane="apns",outcome="accepted"} 2
                wakes_total{lane="apns",outcome="retry"} 0
                wakes_total{lane="a\\"b\\\\c\\nd",outcome="accepted"} 0
                wakes_total{lane="a\\"b\\\\c\\nd",outcome="retry"} 3
                # HELP depth Depth.
                # TYPE depth gauge
                depth -2
                # HELP open Open.
                # TYPE open gauge
                open{lane="apns"} 1
                open{lane="a\\"b\\\\c\\nd"} 0
                # HELP asked Asked.
                # TYPE asked gauge
                asked 42
                # HELP requests_total Requests.
                # TYPE requests_total counter
                requests_total{route="/a",outcome="accepted"} 0
                requests_total{route="/a",outcome="retry"} 0
                requests_total{route="/b",outcome="accepted"} 8
                requests_total{route="/b",outcome="retry"} 0
                # HELP slots Slots.
                # TYPE slots gauge
                slots{loop="0"} 0
                slots{loop="1"} 3

                """)
    }

    @Test("histograms cumulate, include their bounds, and show durations in seconds")
    func histograms() {
        let registry = MetricsRegistry()
        let delay = registry.histogram(
            "delay_seconds", help: "Delay.", bounds: [.milliseconds(5), .milliseconds(50), .seconds(1)])
        let size = registry.histogram("size", help: "Size.", countBounds: [1, 10])
        let byLane = registry.histogram(
            "lane_seconds", help: "By lane.", bounds: [.seconds(1)], label: "outcome", Outcome.self)
        for milliseconds in [0, 5, 6, 50, 1000, 1001] { delay.observe(.milliseconds(milliseconds)) }
        for count in [0, 1, 2, 11, 100] { size.observe(count) }
        byLane[.retry].observe(.milliseconds(500))
        #expect(delay.counts == [2, 2, 1, 1])
        #expect(
            registry.prometheusText() == """
                # HELP delay_seconds Delay.
                # TYPE delay_seconds histogram
                delay_seconds_bucket{le="0.005"} 2
                delay_seconds_bucket{le="0.05"} 4
                delay_seconds_bucket{le="1.0"} 5
                delay_seconds_bucket{le="+Inf"} 6
                delay_seconds_sum 2.062
                delay_seconds_count 6
                # HELP size Size.
                # TYPE size histogram
                size_bucket{le="1"} 2
                size_bucket{le="10"} 3
                size_bucket{le="+Inf"} 5
                size_sum 114
                size_count 5
                # HELP lane_seconds By lane.
                # TYPE lane_seconds histogram
                lane_seconds_bucket{outcome="accepted",le="1.0"} 0
                lane_seconds_bucket{outcome="accepted",le="+Inf"} 0
                lane_seconds_sum{outcome="accepted"} 0.0
                lane_seconds_count{outcome="accepted"} 0
                lane_seconds_bucket{outcome="retry",le="1.0"} 1
                lane_seconds_bucket{outcome="retry",le="+Inf"} 1
                lane_seconds_sum{outcome="retry"} 0.5
                lane_seconds_count{outcome="retry"} 1

                """)
    }

    @Test("lose no count when many tasks count at once")
    func concurrentCounts() async {
        let registry = MetricsRegistry()
        let counter = registry.counter("c_total", help: "C.")
        let histogram = registry.histogram("h", help: "H.", countBounds: [10])
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for number in 0..<2000 {
                        counter.increment()
                        histogram.observe(number % 20)
                    }
                }
            }
        }
        #expect(counter.value == 16_000)
        #expect(histogram.counts.reduce(0, +) == 16_000)
    }

    @Test("with a name twice, a name or label that Prometheus refuses, or bounds out of order are programmer's errors")
    func traps() async {
        await #expect(processExitsWith: .failure) {
            let registry = MetricsRegistry()
            _ = registry.counter("a", help: "")
            _ = registry.gauge("a", help: "")
        }
        await #expect(processExitsWith: .failure) { _ = MetricsRegistry().counter("a-b", help: "") }
        await #expect(processExitsWith: .failure) { _ = MetricsRegistry().counter("1a", help: "") }
        await #expect(processExitsWith: .failure) { _ = MetricsRegistry().counter("", help: "") }
        await #expect(processExitsWith: .failure) {
            _ = MetricsRegistry().counter("a", help: "", labels: [MetricLabelValues("b c", ["x"])])
        }
        await #expect(processExitsWith: .failure) {
            _ = MetricsRegistry().histogram("a", help: "", countBounds: [2, 1])
        }
    }
}

import ReveilleRuntime
import ReveilleTelemetry

/// Counts and logs requests by the route they matched; nothing that a stranger wrote gets into either.
struct AccessRecord: Sendable {
    /// The first digit of a status.
    enum StatusClass: String, MetricLabel {
        case informational = "1xx"
        case success = "2xx"
        case redirection = "3xx"
        case clientError = "4xx"
        case serverError = "5xx"

        init(status: Int) {
            switch status {
            case ..<200: self = .informational
            case ..<300: self = .success
            case ..<400: self = .redirection
            case ..<500: self = .clientError
            default: self = .serverError
            }
        }
    }

    private let requests: MetricFamily2<HomeRoute, StatusClass, Counter>
    private let seconds: MetricFamily<HomeRoute, Histogram>
    private let log: Log

    /// Registers the metrics.
    init(metrics: MetricsRegistry, log: Log) {
        requests = metrics.counter(
            "reveille_http_requests_total", help: "Requests by matched route and class of status.",
            labels: ("route", "status"), HomeRoute.self, StatusClass.self)
        seconds = metrics.histogram(
            "reveille_http_request_seconds", help: "Time from a complete request to its answer.",
            bounds: [
                .microseconds(100), .microseconds(500), .milliseconds(1), .milliseconds(2), .milliseconds(5),
                .milliseconds(10), .milliseconds(25), .milliseconds(50), .milliseconds(100), .milliseconds(500),
                .seconds(1), .seconds(5),
            ], label: "route", HomeRoute.self)
        self.log = log
    }

    /// Notes an answered request.
    ///
    /// Faults of the server are warnings, those of clients information, the rest detail.
    func note(_ route: HomeRoute, status: Int, problem: ProblemCode?, took: Duration, requestID: UInt64) {
        let statusClass = StatusClass(status: status)
        requests[route, statusClass].increment()
        seconds[route].observe(took)
        switch statusClass {
        case .serverError where problem != .notAvailableYet:
            log.warning("request failed", Self.fields(route, status, problem, took, requestID))
        case .clientError, .serverError:
            log.info("request refused", Self.fields(route, status, problem, took, requestID))
        case .informational, .success, .redirection:
            log.debug("request answered", Self.fields(route, status, problem, took, requestID))
        }
    }

    private static func fields(
        _ route: HomeRoute, _ status: Int, _ problem: ProblemCode?, _ took: Duration, _ requestID: UInt64
    ) -> KeyValuePairs<StaticString, LogValue> {
        [
            "route": .code(route), "status": .integer(status), "code": problem.map { .code($0) } ?? .literal("none"),
            "took": .duration(took), "request_id": .fingerprint(requestID),
        ]
    }
}

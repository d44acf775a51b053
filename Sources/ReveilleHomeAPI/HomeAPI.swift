package import ReveilleInbox
package import ReveilleNetwork
package import ReveilleRuntime
package import ReveilleTelemetry

/// The home server's HTTP face: finds the route, lets the caller in, translates between JSON and the use cases.
package final class HomeAPI: HTTPHandler {
    let inbox: HomeInbox
    private let router: Router<HomeRoute>
    private let crossOrigin: CrossOrigin
    private let record: AccessRecord
    let registry: MetricsRegistry
    let metricsPage = MetricsPage()
    let clock: any MonotonicClock
    private let random: any RandomSource

    /// Serves `inbox`.
    ///
    /// - Parameters:
    ///   - metrics: gets the API's metrics, and is what `/metrics` shows.
    ///   - clock: measures how long answers take.
    ///   - random: makes request ids.
    package init(
        inbox: HomeInbox, settings: HomeAPISettings = HomeAPISettings(), log: Log, metrics: MetricsRegistry,
        clock: any MonotonicClock, random: any RandomSource
    ) {
        self.inbox = inbox
        router = Router(
            HomeRoute.served.map { (method: $0.method, template: $0.template, context: $0) })
        crossOrigin = CrossOrigin(settings.allowedOrigins)
        record = AccessRecord(metrics: metrics, log: log.scoped("api"))
        registry = metrics
        self.clock = clock
        self.random = random
    }

    package func respond(to request: HTTPRequest) async -> HTTPResponse {
        let start = clock.now()
        var route = HomeRoute.unmatched
        let result: Result<APIAnswer, Problem>
        do {
            switch router.match(method: request.method, path: request.path) {
            case .found(let found, let parameters, _, _):
                route = found
                result = .success(
                    try await self.answer(found, APICall(request: request, parameters: parameters)))
            case .options(let allow): result = .success(options(request, allow: allow))
            case .methodNotAllowed(let allow): throw Problem(.methodNotAllowed, allow: allow)
            case .notFound: throw Problem(.notFound)
            }
        } catch {
            result = .failure(Problem(error))
        }
        return response(result, to: request, route, since: start)
    }

    /// Refuses what no body would make better: a path or method that is not there, a credential that nobody has.
    package func refusal(ofHead request: HTTPRequest) async -> HTTPResponse? {
        let start = clock.now()
        var route = HomeRoute.unmatched
        do {
            switch router.match(method: request.method, path: request.path) {
            case .found(let found, let parameters, _, _):
                route = found
                if found.access != .open {
                    try await inbox.gate.check(APICall(request: request, parameters: parameters).credentials())
                }
                return nil
            case .options: return nil
            case .methodNotAllowed(let allow): throw Problem(.methodNotAllowed, allow: allow)
            case .notFound: throw Problem(.notFound)
            }
        } catch {
            return response(.failure(Problem(error)), to: request, route, since: start)
        }
    }

    private func response(
        _ result: Result<APIAnswer, Problem>, to request: HTTPRequest, _ route: HomeRoute,
        since start: MonotonicInstant
    ) -> HTTPResponse {
        let requestID = random.uint64()
        var problem: ProblemCode?
        var answer: APIAnswer
        switch result {
        case .success(let found): answer = found
        case .failure(let found):
            problem = found.code
            answer = found.answer(requestID: Self.text(requestID))
        }
        // Everything here is somebody's own; nothing of it belongs into a cache on the way.
        answer.add("cache-control", "no-store")
        answer.add("x-content-type-options", "nosniff")
        answer.addUnique("reveille-request-id", Self.text(requestID))
        crossOrigin.apply(request, to: &answer)
        record.note(
            route, status: answer.status, problem: problem, took: clock.now().duration(since: start),
            requestID: requestID)
        return answer.response()
    }

    /// The answer to a request that never became one: malformed, too large, too slow.
    ///
    /// - Parameters:
    ///   - status: what the server decided.
    ///   - code: the server's word for it; an unknown one falls back to the status.
    package func protocolError(status: Int, code: String) -> HTTPResponse {
        let requestID = random.uint64()
        let named = ProblemCode(rawValue: code).flatMap { $0.status == status ? $0 : nil }
        let problem = named ?? Self.protocolProblem(status)
        record.note(.unmatched, status: problem.status, problem: problem, took: .zero, requestID: requestID)
        var answer = Problem(problem, retryAfterSeconds: status == 503 ? Self.fullSeconds : nil).answer(
            requestID: Self.text(requestID))
        answer.add("cache-control", "no-store")
        answer.addUnique("reveille-request-id", Self.text(requestID))
        return answer.response()
    }

    /// When a server without a free connection may have one, in seconds.
    private static let fullSeconds: Int64 = 5

    private static func protocolProblem(_ status: Int) -> ProblemCode {
        switch status {
        case 408: .requestTimeout
        case 413: .bodyTooLarge
        case 414: .targetTooLong
        case 417: .expectationUnsupported
        case 431: .headerTooLarge
        case 501: .methodNotImplemented
        case 505: .versionUnsupported
        case 503: .serverFull
        case 500, 502: .internalError
        default: .badRequest
        }
    }

    private func options(_ request: HTTPRequest, allow: String) -> APIAnswer {
        var answer = APIAnswer.noContent
        answer.add("allow", allow)
        crossOrigin.applyPreflight(request, allow: allow, to: &answer)
        return answer
    }

    /// The request id as it is in the log: 16 hexadecimal digits.
    private static func text(_ requestID: UInt64) -> String {
        let digits = String(requestID, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

package import ReveilleJSON
package import ReveilleNetwork
package import ReveilleRuntime

/// What one emulated push service is, behind the machinery that all share.
///
/// Lives on the emulator's loop.
package protocol PushServiceProvider: AnyObject, SendableMetatype {
    /// How the service behaves.
    associatedtype Settings: Sendable

    /// The service's name, for threads and logs.
    static var name: String { get }
    /// The first words of the control interface's paths that only this service has.
    static var controlPaths: Set<String> { get }

    /// A service that knows nobody.
    init(_ settings: Settings, surroundings: PushServiceSurroundings)

    /// Says under which origin clients reach the service.
    func didListen(at origin: String)

    /// What a request wants and for whom, for faults and records.
    func subject(of request: HTTPRequest) -> PushServiceSubject

    /// Applies every rule and, when none is broken, hands the push to its device.
    func judge(_ request: HTTPRequest, at now: WallInstant) -> PushServiceJudgement

    /// One of the service's own answers by its word; nil when there is none of this name.
    func response(for reason: String, status: Int?) -> HTTPResponse?

    /// What the service reads from a request, for the lists of the control interface.
    func details(of exchange: SeenExchange) -> JSONObject

    /// Answers a request below one of `controlPaths`; nil when there is nothing there.
    func answer(_ request: ControlRequest) throws(JSONFieldError) -> ControlAnswer?

    /// Forgets what it was told.
    func reset()
}

/// What surrounds a service: time, chance, and who counts.
package struct PushServiceSurroundings {
    /// The time of day.
    package let clock: any WallClock
    /// Chance, for ids and tokens.
    package let random: any RandomSource
    /// The thread of the service.
    package let loop: EventLoop
    /// Counts what does not come as a request.
    package let count: (_ change: (inout PushServiceCounters) -> Void) -> Void
}

/// What a request wants, and for whom.
package struct PushServiceSubject: Sendable {
    /// The service's own word for it, such as `send`.
    package let operation: String
    /// The token or subscription.
    package let target: String?

    /// Describes a request.
    package init(_ operation: String, _ target: String? = nil) {
        self.operation = operation
        self.target = target
    }

    func matches(_ match: PushServiceFault.Match) -> Bool {
        if let wanted = match.operation, wanted != operation { return false }
        if let wanted = match.target, wanted != target { return false }
        if let wanted = match.targetPrefix, target?.hasPrefix(wanted) != true { return false }
        return true
    }
}

/// What a service thinks of a request.
package struct PushServiceJudgement {
    /// The answer.
    package var response: HTTPResponse
    /// Whether it took a push.
    package var isAccepted = false
    /// The name that it gave the push.
    package var messageID: String?
    /// The rule that the request broke first.
    package var brokenRule: String?
    /// Whether it gave out something that is counted apart: an access token.
    package var isGrant = false

    /// The answer to a request that is neither a push nor against a rule.
    package init(_ response: HTTPResponse) { self.response = response }
}

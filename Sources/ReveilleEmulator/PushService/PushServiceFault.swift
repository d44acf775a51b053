package import ReveilleHTTP2

/// A fault of an emulated push service: whom it strikes, how often, and what it does.
package struct PushServiceFault: Sendable, Equatable {
    /// Names the fault; given by the emulator when empty.
    package var id: String
    /// Whom it strikes.
    package var match: Match
    /// Which of those.
    package var trigger: FaultTrigger
    /// What it does.
    package var action: Action

    /// Conditions that must all hold; those that are nil always do.
    package struct Match: Sendable, Equatable {
        /// What the request wants, by the service's own word for it, such as `send`.
        package var operation: String?
        /// The token or subscription that the request is for.
        package var target: String?
        /// How that begins.
        package var targetPrefix: String?

        /// Describes whom a fault strikes.
        package init(operation: String? = nil, target: String? = nil, targetPrefix: String? = nil) {
            self.operation = operation
            self.target = target
            self.targetPrefix = targetPrefix
        }

        /// Everything.
        package static let everything = Match()
    }

    /// What a fault does to a request or to its connection.
    ///
    /// `accepted` says whether the service took the push before things went wrong: then it reaches its device although the sender
    /// never learns so.
    package enum Action: Sendable, Equatable {
        /// Answers so, whatever the rules say.
        case answer(PushServiceScript)
        /// Answers as the rules say, so many milliseconds later.
        case delay(milliseconds: Int)
        /// Answers as the rules say, once the answer is released. A push that is not accepted before is judged then.
        case hold(accepted: Bool)
        /// Answers so, whatever the rules say, once the answer is released.
        case holdAnswer(PushServiceScript)
        /// Never answers.
        case stall(accepted: Bool)
        /// Resets the stream; over HTTP/1.1, drops the connection.
        case reset(HTTP2ErrorCode, accepted: Bool)
        /// Drops the connection without an answer.
        case dropConnection(DropManner, accepted: Bool)
        /// Answers as the rules say and ends the connection in order: GOAWAY, or `Connection: close`.
        case goAway
    }

    /// Describes a fault.
    package init(
        _ action: Action, match: Match = .everything, trigger: FaultTrigger = .always, id: String = ""
    ) {
        self.id = id
        self.match = match
        self.trigger = trigger
        self.action = action
    }
}

/// An answer that the rules would not give.
package struct PushServiceScript: Sendable, Equatable {
    /// The status; nil for that of the reason.
    package var status: Int?
    /// One of the service's own answers, by its word; nil for an empty body.
    package var reason: String?
    /// The `retry-after` field.
    package var retryAfter: String?
    /// Further fields, such as `location`.
    package var fields: [String: String]
    /// A body of its own, instead of the reason's: for answers that are not the service's.
    package var body: String?
    /// So many milliseconds pass before the answer.
    package var delayMilliseconds: Int

    /// An answer of any kind.
    package init(
        status: Int? = nil, reason: String? = nil, retryAfter: String? = nil, fields: [String: String] = [:],
        body: String? = nil, delayMilliseconds: Int = 0
    ) {
        self.status = status
        self.reason = reason
        self.retryAfter = retryAfter
        self.fields = fields
        self.body = body
        self.delayMilliseconds = delayMilliseconds
    }
}

/// What the emulated Apple has counted; exact whatever the history keeps.
///
/// Every complete request is in one place: `received` = `answered` + `reset` + `uncovered` + `cancelled` + `lost` +
/// `inFlight`.
package struct AppleCounters: Sendable, Equatable {
    /// An answer as the counters tell it apart.
    package struct AnswerKind: Sendable, Hashable {
        /// The status.
        package let status: Int
        /// The reason; nil without one.
        package let reason: String?

        /// A kind of answer.
        package init(_ status: Int, _ reason: String? = nil) {
            self.status = status
            self.reason = reason
        }
    }

    /// How many different kinds of answers are told apart; scripted ones may have any reason.
    static let maximumAnswerKinds = 256

    /// Connections taken from the listening sockets.
    package internal(set) var connectionsAccepted = 0
    /// Connections whose TLS handshake is done and that have not ended.
    package internal(set) var connectionsOpen = 0
    /// Connections that a fault refused.
    package internal(set) var connectionsRefused = 0
    /// Connections that ended before TLS was done, or without HTTP/2.
    package internal(set) var handshakesFailed = 0
    /// Connections that ended because the sender broke HTTP/2.
    package internal(set) var protocolErrors = 0
    /// Complete requests.
    package internal(set) var received = 0
    /// Requests that ended before they were complete.
    package internal(set) var incomplete = 0
    /// Requests that got a response.
    package internal(set) var answered = 0
    /// Requests whose stream the emulator reset.
    package internal(set) var reset = 0
    /// Requests that a GOAWAY said were not processed.
    package internal(set) var uncovered = 0
    /// Requests whose stream the sender reset before the answer.
    package internal(set) var cancelled = 0
    /// Requests whose connection ended before the answer.
    package internal(set) var lost = 0
    /// Pushes that Apple took.
    package internal(set) var accepted = 0
    /// Requests that a rule refused.
    package internal(set) var refused = 0
    /// Requests that a fault struck.
    package internal(set) var struck = 0
    /// GOAWAY frames sent.
    package internal(set) var goAways = 0
    /// Different `authorization` texts that were verified.
    package internal(set) var providerTokens = 0
    /// Responses by kind.
    package internal(set) var answers: [AnswerKind: Int] = [:]
    /// Refusals by the rule that was broken.
    package internal(set) var refusals: [AppleRefusal.Detail: Int] = [:]

    /// Nothing counted.
    package init() {}

    /// Requests received and not yet answered.
    package var inFlight: Int { received - answered - reset - uncovered - cancelled - lost }

    /// Counts a response.
    mutating func countAnswer(status: Int, reason: String?) {
        answered += 1
        let kind = AnswerKind(status, reason)
        if answers[kind] == nil, answers.count >= Self.maximumAnswerKinds { return }
        answers[kind, default: 0] += 1
    }

    /// Counts a refusal by the rule that was broken.
    mutating func countRefusal(_ detail: AppleRefusal.Detail) {
        refused += 1
        refusals[detail, default: 0] += 1
    }
}

package import ReveilleHTTP2

/// What a fault does to a request or to its connection.
///
/// `accepted` says whether Apple took the push before things went wrong: then it reaches its device although the sender
/// never learns so.
package enum AppleFaultAction: Sendable, Equatable {
    /// Answers so, whatever the rules say.
    case answer(ScriptedAnswer)
    /// Answers as the rules say, so many milliseconds later.
    case delay(milliseconds: Int)
    /// Answers as the rules say, once the answer is released. A push that is not accepted before is judged then.
    case hold(accepted: Bool)
    /// Answers so, whatever the rules say, once the answer is released.
    case holdAnswer(ScriptedAnswer)
    /// Never answers; the stream stays open.
    case stall(accepted: Bool)
    /// Resets the stream.
    case reset(HTTP2ErrorCode, accepted: Bool)
    /// Drops the connection without an answer.
    case dropConnection(DropManner, accepted: Bool)
    /// Sends the end of the stream of bytes and no answer, and goes on reading.
    case halfClose(accepted: Bool)
    /// Answers nothing at all on the connection any more, not even PING, and reads nothing.
    case silence(accepted: Bool)
    /// Sends GOAWAY. The request is answered as the rules say, if the GOAWAY covers it.
    case goAway(GoAwayPlan)
    /// Announces another limit of concurrent streams; the request is answered as the rules say.
    case streamLimit(Int)
    /// Ends the connection before TLS.
    case refuseConnection(DropManner)
    /// Answers the TLS handshake with a fatal alert.
    case refuseTLS
    /// Takes the connection and never says a word.
    case stallTLS

    /// Whether the fault strikes connections as they come, not requests.
    package var strikesConnections: Bool {
        switch self {
        case .refuseConnection, .refuseTLS, .stallTLS: true
        case .answer, .delay, .hold, .holdAnswer, .stall, .reset, .dropConnection, .halfClose, .silence, .goAway,
            .streamLimit:
            false
        }
    }
}

/// An answer that the rules would not give.
package struct ScriptedAnswer: Sendable, Equatable {
    /// The status.
    package var status: Int
    /// The reason in the body; nil for an empty body.
    package var reason: String?
    /// The time in the body, in milliseconds since 1970.
    package var timestamp: Timestamp?
    /// The `retry-after` field.
    package var retryAfter: String?
    /// A body of its own, instead of reason and time: for answers that are not Apple's.
    package var body: String?
    /// So many milliseconds pass before the answer.
    package var delayMilliseconds: Int

    /// A time in an answer.
    package enum Timestamp: Sendable, Equatable {
        /// Milliseconds since 1970.
        case at(Int64)
        /// Milliseconds after (or, negative, before) the answer is made.
        case offset(Int64)
    }

    /// An answer of any kind.
    package init(
        status: Int, reason: String? = nil, timestamp: Timestamp? = nil, retryAfter: String? = nil,
        body: String? = nil, delayMilliseconds: Int = 0
    ) {
        self.status = status
        self.reason = reason
        self.timestamp = timestamp
        self.retryAfter = retryAfter
        self.body = body
        self.delayMilliseconds = delayMilliseconds
    }

    /// One of Apple's answers.
    package init(_ reason: AppleReason, timestamp: Timestamp? = nil, retryAfter: String? = nil) {
        self.init(
            status: reason.status, reason: reason.rawValue, timestamp: timestamp,
            retryAfter: retryAfter)
    }
}

/// A GOAWAY frame and what follows it.
package struct GoAwayPlan: Sendable, Equatable {
    /// The last stream that the frame says may have been processed.
    package var lastStream: LastStream
    /// The frame's error code.
    package var code: HTTP2ErrorCode
    /// The reason in the frame's debug data, as Apple gives it; nil for no debug data.
    package var reason: String?
    /// When the connection ends.
    package var ending: Ending

    /// A stream of a connection.
    package enum LastStream: Sendable, Equatable {
        /// The stream of the request that the fault strikes; the newest one when none is struck.
        case this
        /// The stream before that of the struck request: itself was not processed.
        case beforeThis
        /// The newest stream that arrived.
        case newest
        /// The newest stream that was answered.
        case answered
        /// Stream 0: nothing was processed.
        case none
        /// The largest number there is: a warning, as RFC 9113 section 6.8 advises.
        case all
        /// Any number.
        case number(Int32)
    }

    /// When a connection ends after GOAWAY.
    package enum Ending: String, Sendable, CaseIterable {
        /// When each stream that the frame covers is answered.
        case whenAnswered = "when_answered"
        /// At once; what is in flight gets no answer.
        case atOnce = "at_once"
        /// When the sender ends it.
        case never
    }

    /// Describes a GOAWAY.
    package init(
        lastStream: LastStream = .newest, code: HTTP2ErrorCode = .noError,
        reason: String? = AppleReason.shutdown.rawValue, ending: Ending = .whenAnswered
    ) {
        self.lastStream = lastStream
        self.code = code
        self.reason = reason
        self.ending = ending
    }
}

package import ReveilleCore
package import ReveilleHTTP2

/// How a request ended that the provider did not answer.
///
/// One of which certainly nothing was processed is repeated; one that may have been is unknown, and goes again as it was.
package enum UnansweredEnd: Sendable, CaseIterable {
    /// The request did not leave, or not whole.
    case notSent
    /// The server ended the connection with GOAWAY, this request's stream not among those it took.
    case goAway
    /// The server refused the stream (REFUSED_STREAM).
    case refusedStream
    /// The connection ended before the answer.
    case connectionLost
    /// The sender was stopped before the answer came.
    case drained
    /// No answer came before the request's deadline.
    case noAnswer
    /// The stream was reset, or what came was no answer.
    case streamReset

    /// Judges the end of a stream.
    package init(
        end: HTTP2StreamEnd, progress: HTTP2RequestProgress, serverSaidGoAway: Bool, isDrained: Bool
    ) {
        switch end {
        case .unprocessed:
            self = progress < .completely ? .notSent : serverSaidGoAway ? .goAway : .refusedStream
        case .connectionLost: self = isDrained ? .drained : .connectionLost
        case .cancelled: self = .noAnswer
        case .reset, .answered: self = .streamReset
        }
    }

    /// What the end means for the wake.
    ///
    /// - Parameters:
    ///   - word: The provider's word for it.
    ///   - progress: How far the request got.
    package func result(_ word: ProviderReason, progress: HTTP2RequestProgress) -> TryResult {
        switch self {
        case .notSent, .goAway, .refusedStream:
            TryResult(
                outcome: .retry(reason: word, after: .atOnceThenSchedule), status: 0, mayHaveLeft: progress > .nothing)
        case .connectionLost, .drained, .noAnswer, .streamReset:
            TryResult(outcome: .unknown(reason: word), status: 0)
        }
    }
}

/// What keeps requests from being sent.
package enum ConnectionFault: Sendable, CaseIterable {
    /// No connection could be made, or none stayed long enough to be of use.
    case notConnected
    /// What answers does not speak the provider's protocol.
    case wrongProtocol
    /// Connections are open, and the server lets no request begin on any of them.
    case noStreams
}

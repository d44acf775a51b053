package import ReveilleCore
package import ReveilleHTTP2

/// What the end of a try means that APNs did not answer.
///
/// A try of which certainly nothing was processed is repeated; one that may have been is unknown, and goes again with the same
/// `apns-id` and collapse id.
package enum APNsTransportOutcomes {
    /// The end of a stream without a status.
    package static func result(
        end: HTTP2StreamEnd, progress: HTTP2RequestProgress, serverSaidGoAway: Bool, isDrained: Bool
    ) -> (result: TryResult, reason: APNsReason) {
        switch end {
        case .unprocessed:
            let reason: APNsReason =
                progress < .completely ? .notSent : serverSaidGoAway ? .goAway : .refusedStream
            return again(reason, mayHaveLeft: progress > .nothing)
        case .connectionLost: return unknown(isDrained ? .drained : .connectionLost)
        case .cancelled: return unknown(.noAnswer)
        case .reset, .answered: return unknown(.streamReset)
        }
    }

    private static func again(_ reason: APNsReason, mayHaveLeft: Bool) -> (TryResult, APNsReason) {
        let outcome = Outcome.retry(reason: APNsOutcomes.word(reason), after: .atOnceThenSchedule)
        return (TryResult(outcome: outcome, status: 0, mayHaveLeft: mayHaveLeft), reason)
    }

    private static func unknown(_ reason: APNsReason) -> (TryResult, APNsReason) {
        (TryResult(outcome: .unknown(reason: APNsOutcomes.word(reason)), status: 0), reason)
    }
}

/// Where a connection pulls tries from whenever a stream is free: a lane, or a benchmark.
///
/// Called on the event loop of the connection only; never blocks.
package protocol TrySource: AnyObject {
    /// Whether a try of a standing waits, so that a connection for it is worth opening; a source that says no tells the sender
    /// when one comes.
    func hasTry(of standing: TokenStanding) -> Bool

    /// Writes the next try of a standing into `buffer` and returns true, or returns false when there is none now.
    ///
    /// The lane makes its last check of the wake here, before the first byte.
    func nextTry(of standing: TokenStanding, into buffer: TryBuffer) -> Bool

    /// Takes the end of a try; called exactly once for each true of ``nextTry(of:into:)``.
    func tryDidEnd(tag: UInt64, result: TryResult)

    /// Tells that the sender's readiness changed, for health and metrics.
    func senderDidChange(_ state: SenderState)
}

/// How a try ended.
package struct TryResult: Sendable {
    /// What the answer means.
    package let outcome: Outcome
    /// The HTTP status, 0 when none came.
    package let status: Int
    /// False when it is certain that no byte of the request left.
    package let mayHaveLeft: Bool

    /// Describes the end of a try.
    package init(outcome: Outcome, status: Int, mayHaveLeft: Bool = true) {
        self.outcome = outcome
        self.status = status
        self.mayHaveLeft = mayHaveLeft
    }
}

/// Whether a sender can take tries.
package enum SenderState: Hashable, Sendable {
    /// No connection; one is made when tries wait.
    case idle
    /// Connecting, or proving the provider token with the first request.
    case opening
    /// At least one connection takes tries.
    case ready
    /// Connected, but the provider lets no request begin on any connection.
    case blocked(reason: ProviderReason)
    /// Waiting before the next attempt to connect.
    case backingOff(reason: ProviderReason)
    /// No more tries are taken.
    case drained
}

/// Sends the tries of one lane; owned by it, confined to its event loop.
package protocol WakeSender: AnyObject {
    /// The longest a try may take from the pull to its end, in seconds; a lease must outlast it by 5 s.
    var requestDeadlineSeconds: Int64 { get }
    /// Tells that the source has tries, of one standing or both; connections open as needed and pull.
    func triesAreWaiting()
    /// Stops pulling, waits for the answers in flight until `deadline`, then ends the rest as unknown.
    func drain(within deadline: Duration) async
}

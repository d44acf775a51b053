package import ReveilleCore
internal import ReveilleEndpoints
package import ReveilleNetwork
package import ReveilleRuntime
internal import ReveilleSending
package import ReveilleTelemetry

/// Sends the tries of one lane to a push service: one origin, and the VAPID pair that its subscriptions were made with.
///
/// Owned by the lane and confined to its loop. The way to the service is guarded: names are resolved by a ``GuardedResolver`` for each
/// connection and again for one that is used a minute later.
package final class PushSender: WakeSender {
    private let connections: ConnectionSet

    /// A sender without connections; the first tries open one.
    ///
    /// - Parameters:
    ///   - tokens: shared by all lanes of the same pair.
    ///   - source: the lane; it must outlive the sender.
    ///   - loop: the lane's loop, whose thread calls everything here.
    ///   - resolver: who is asked for names, behind the guard.
    package init(
        configuration: PushSenderConfiguration, tokens: VAPIDTokens, source: any TrySource, loop: EventLoop,
        resolver: any Resolver, log: Log, metrics: PushMetrics, wallClock: any WallClock = SystemWallClock(),
        random: any RandomSource = SystemRandom()
    ) {
        let form = PushForm(
            url: configuration.url, kind: configuration.kind, policy: configuration.policy, tokens: tokens,
            metrics: metrics, wallClock: wallClock)
        let guarded = GuardedResolver(
            policy: configuration.policy, url: configuration.url, kind: configuration.kind, resolver: resolver)
        connections = ConnectionSet(
            form: form, configuration: configuration.sending, source: source, loop: loop, resolver: guarded, log: log,
            metrics: metrics.sending, random: random)
    }

    package var requestDeadlineSeconds: Int64 { connections.requestDeadlineSeconds }

    package func triesAreWaiting() { connections.triesAreWaiting() }

    package func drain(within deadline: Duration) async { await connections.drain(within: deadline) }
}

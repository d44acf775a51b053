package import ReveilleCore
package import ReveilleNetwork
package import ReveilleRuntime
package import ReveilleSending
package import ReveilleTelemetry

/// Sends the tries of one lane to APNs: a ``ConnectionSet`` in the form of APNs, for one environment and one credential.
///
/// APNs drops a connection on which too many requests fail, and other requests under way with it: tokens that are not proven have a
/// connection of their own. All rules are those of Apple's "Sending notification requests to APNs" and of RFC 9113.
package final class APNsSender: WakeSender {
    private let connections: ConnectionSet

    /// A sender without connections; the first tries open one.
    ///
    /// - Parameters:
    ///   - providerTokens: shared by all senders of the same key.
    ///   - source: the lane; it must outlive the sender.
    ///   - loop: the lane's loop, whose thread calls everything here.
    package init(
        configuration: SendingConfiguration, providerTokens: ProviderTokens, source: any TrySource,
        loop: EventLoop, resolver: any Resolver, log: Log, metrics: APNsMetrics,
        wallClock: any WallClock = SystemWallClock(), random: any RandomSource = SystemRandom()
    ) {
        let form = APNsForm(
            authority: configuration.authority, providerTokens: providerTokens, wallClock: wallClock, log: log,
            metrics: metrics)
        connections = ConnectionSet(
            form: form, configuration: configuration, source: source, loop: loop, resolver: resolver, log: log,
            metrics: metrics.sending, random: random)
    }

    package var requestDeadlineSeconds: Int64 { connections.requestDeadlineSeconds }

    package func triesAreWaiting() { connections.triesAreWaiting() }

    package func drain(within deadline: Duration) async { await connections.drain(within: deadline) }
}

package import ReveilleCore
internal import ReveilleHTTP2
package import ReveilleNetwork
package import ReveilleRuntime
package import ReveilleSending
package import ReveilleTLS
package import ReveilleTelemetry

/// Sends the tries of one lane to FCM: a ``ConnectionSet`` in the form of FCM, for one project and one service account.
///
/// Every request carries the lane's access token, which is asked for when tries wait and none lives, and renewed before its end. FCM
/// is not known to drop connections for bad tokens: proven and unproven ones share them. All rules are those of Firebase's "FCM error
/// codes" and "Best practices when sending FCM messages at scale", and of Google's "Using OAuth 2.0 for Server to Server Applications".
package final class FCMSender: WakeSender {
    private let connections: ConnectionSet

    /// A sender without connections; the first tries ask for an access token and open one.
    ///
    /// - Parameters:
    ///   - configuration: As ``configuration(host:port:address:tls:)`` makes it.
    ///   - account: Whose project is sent for.
    ///   - source: The lane; it must outlive the sender.
    ///   - loop: The lane's loop, whose thread calls everything here.
    ///   - exchange: Asks Google for access tokens.
    package init(
        configuration: SendingConfiguration, account: ServiceAccount, source: any TrySource, loop: EventLoop,
        resolver: any Resolver, exchange: @escaping TokenExchange, log: Log, metrics: FCMMetrics,
        wallClock: any WallClock = SystemWallClock(), random: any RandomSource = SystemRandom()
    ) {
        let access = FCMCredential(
            account: account, exchange: exchange, loop: loop, wallClock: wallClock, random: random, log: log,
            metrics: metrics)
        let form = FCMForm(
            authority: configuration.authority, project: account.project, access: access, wallClock: wallClock,
            metrics: metrics)
        connections = ConnectionSet(
            form: form, configuration: configuration, source: source, loop: loop, resolver: resolver, log: log,
            metrics: metrics.sending, random: random)
    }

    package var requestDeadlineSeconds: Int64 { connections.requestDeadlineSeconds }

    package func triesAreWaiting() { connections.triesAreWaiting() }

    package func drain(within deadline: Duration) async { await connections.drain(within: deadline) }
}

extension FCMSender {
    /// The name of the service.
    package static let host = "fcm.googleapis.com"
    /// Google asks for at least ten seconds (Firebase, "Best practices when sending FCM messages at scale").
    private static let requestDeadline = Duration.seconds(15)
    /// Errors carry details: longer ones than these octets are judged by their status.
    private static let keptBodyBytes = 16 * 1_024
    /// Google's front ends allow a hundred; rooms for answers are bounded by this.
    private static let maximumStreams = 256

    /// How FCM is reached, or an emulator of it.
    package static func configuration(
        host: String = FCMSender.host, port: UInt16 = 443, address: SocketAddress? = nil, tls: TLSContext?
    ) -> SendingConfiguration {
        var configuration = SendingConfiguration(host: host, port: port, address: address, tls: tls)
        configuration.separatesStandings = false
        configuration.limits.requestDeadline = requestDeadline
        configuration.limits.http2.keptBodyBytes = keptBodyBytes
        configuration.limits.http2.maximumStreams = maximumStreams
        return configuration
    }
}

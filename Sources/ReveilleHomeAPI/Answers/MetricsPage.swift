package import ReveilleRuntime
package import ReveilleTelemetry

/// The text of all metrics, written at most once a second.
///
/// Writing it takes milliseconds of an event loop, anybody may ask for it, and nobody needs it more often.
package final class MetricsPage: Sendable {
    private static let lifetime = Duration.seconds(1)

    private let kept = Locked<(writtenAt: MonotonicInstant, bytes: [UInt8])?>(nil)

    /// A page that was never asked for.
    package init() {}

    /// The page as it was less than a second ago, or as it is now.
    package func bytes(of registry: MetricsRegistry, at now: MonotonicInstant) -> [UInt8] {
        kept.withLock { kept in
            if let kept, now < kept.writtenAt + Self.lifetime { return kept.bytes }
            let bytes = Array(registry.prometheusText().utf8)
            kept = (now, bytes)
            return bytes
        }
    }
}

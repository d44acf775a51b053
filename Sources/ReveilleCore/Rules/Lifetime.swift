/// How long notifications, wakes and records live, in seconds.
package enum Lifetime {
    /// A visible notification that names no `ttl`.
    package static let visibleSeconds: Int64 = 24 * 3_600
    /// A silent wake.
    package static let silentSeconds: Int64 = 3_600
    /// A catch-up wake whose deliveries have less left than this.
    package static let catchUpSeconds: Int64 = 3_600
    /// The shortest and longest `ttl` a producer may give.
    package static let producerTTLSeconds: ClosedRange<Int64> = 60...(28 * 86_400)
    /// An idempotency key.
    package static let idempotencySeconds: Int64 = 24 * 3_600
    /// A display token, from the last registration.
    package static let displayTokenSeconds: Int64 = 90 * 86_400
    /// A change in a profile's log.
    package static let changeSeconds: Int64 = 180 * 86_400

    /// When a wake made now for a notification ends.
    package static func wakeExpiry(
        mode: WakeMode, ttlSeconds: Int64?, nowMilliseconds: Int64
    ) -> Int64 {
        switch mode {
        case .privateAlert: nowMilliseconds + (ttlSeconds ?? visibleSeconds) * 1_000
        case .backgroundWake:
            nowMilliseconds + min(ttlSeconds ?? silentSeconds, silentSeconds) * 1_000
        }
    }
}

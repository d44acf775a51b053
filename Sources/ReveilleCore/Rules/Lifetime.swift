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
    /// A device whose subscription has not proved itself.
    package static let unprovenSeconds: Int64 = 24 * 3_600
    /// A change in a profile's log.
    package static let changeSeconds: Int64 = 180 * 86_400

    /// When a wake made now for a notification ends, in milliseconds since 1970.
    ///
    /// The life follows the notification, not the wire: a visible one that wakes a Mac in the background lives as long as the
    /// alert on the phone beside it. A `ttl` outside of ``producerTTLSeconds`` is moved to its ends.
    package static func wakeExpiry(alert: Alert, ttlSeconds: Int64?, nowMilliseconds: Int64) -> Int64 {
        nowMilliseconds + lifeSeconds(alert: alert, ttlSeconds: ttlSeconds) * 1_000
    }

    /// When a catch-up wake made now ends: when the longest-lived of its deliveries does, but not within the hour.
    package static func catchUpExpiry(longestLife: Int64, nowMilliseconds: Int64) -> Int64 {
        max(longestLife, nowMilliseconds + catchUpSeconds * 1_000)
    }

    private static func lifeSeconds(alert: Alert, ttlSeconds: Int64?) -> Int64 {
        let given = ttlSeconds.map { min(max($0, producerTTLSeconds.lowerBound), producerTTLSeconds.upperBound) }
        switch alert {
        case .visible: return given ?? visibleSeconds
        case .silent: return min(given ?? silentSeconds, silentSeconds)
        }
    }
}

package import ReveilleRuntime

/// The tokens of one VAPID pair, one for each push service, shared by all lanes of the pair.
///
/// A token is good for half a day and replaced when half of that is over: services take at most 24 hours, and Apple asks that
/// tokens be renewed no more than once an hour. A signature costs more than the encryption of a message, so one serves a whole origin.
package final class VAPIDTokens: Sendable {
    /// How long a token is good for, in seconds.
    package static let lifeSeconds: Int64 = 12 * 60 * 60
    /// The longest that services take (RFC 8292 section 2).
    package static let longestLifeSeconds: Int64 = 24 * 60 * 60
    /// The age at which a token is replaced.
    package static let renewAfter: Duration = .seconds(6 * 60 * 60)
    /// A token that a service would still take is not replaced sooner than this.
    package static let minimumInterval: Duration = .seconds(60 * 60)
    /// The most tokens that are kept; with one more the oldest goes.
    package static let maximumOrigins = 4_096

    private struct State {
        var tokens: [String: VAPIDToken] = [:]
        var signed = 0
    }

    /// Whose tokens these are.
    package let key: VAPIDKey
    private let subject: VAPIDSubject
    private let wallClock: any WallClock
    private let clock: any MonotonicClock
    // Held while a token is signed, some 50 µs: whoever comes meanwhile waits for that very token.
    private let state = Locked(State())

    /// Tokens that are signed when they are first asked for.
    package init(
        key: VAPIDKey, subject: VAPIDSubject, wallClock: any WallClock = SystemWallClock(),
        clock: any MonotonicClock = SystemMonotonicClock()
    ) {
        self.key = key
        self.subject = subject
        self.wallClock = wallClock
        self.clock = clock
    }

    /// How many tokens were signed so far.
    package var signedCount: Int { state.withLock { $0.signed } }

    /// The token to send with now to an origin, as `EndpointURL.origin` writes it.
    package func current(for origin: String) -> VAPIDToken {
        let (wall, monotonic) = (wallClock.now(), clock.now())
        return state.withLock { state in
            if let token = state.tokens[origin], !isDue(token, wall, monotonic) { return token }
            if state.tokens[origin] == nil, state.tokens.count >= Self.maximumOrigins { Self.dropOldest(&state) }
            let token = VAPIDToken(
                key, subject: subject, origin: origin, expiresAt: WallInstant(seconds: wall.seconds + Self.lifeSeconds),
                monotonic: monotonic)
            state.signed += 1
            state.tokens[origin] = token
            return token
        }
    }

    private func isDue(_ token: VAPIDToken, _ wall: WallInstant, _ monotonic: MonotonicInstant) -> Bool {
        let age = monotonic.duration(since: token.signedAt)
        if age >= Self.renewAfter { return true }
        let remaining = token.expiresAt.seconds - wall.seconds
        // The wall clock was set since: no service takes the token any more, or it will not for long.
        if remaining <= 0 || remaining > Self.longestLifeSeconds { return true }
        return remaining < Self.lifeSeconds / 2 && age >= Self.minimumInterval
    }

    private static func dropOldest(_ state: inout State) {
        guard let oldest = state.tokens.min(by: { $0.value.signedAt < $1.value.signedAt }) else { return }
        state.tokens[oldest.key] = nil
    }
}

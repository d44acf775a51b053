package import ReveilleRuntime

/// The provider token of one team and key, shared by every connection that uses them.
///
/// Apple takes tokens that are at most an hour old and refuses those who make new ones more often than every 20 minutes. So
/// one token serves all topics and connections, it is renewed at 45 minutes of age counted from its signing, and hardly
/// anything makes a new one within 20. Age is measured by a clock that counts suspend; a wall clock that was set meanwhile
/// shows in the distance to the token's `iat`.
package final class ProviderTokens: Sendable {
    /// The times of the rule.
    package struct Limits: Sendable, Equatable {
        /// A token is renewed at this age, well before Apple's hour.
        package var renewAfter: Duration = .seconds(45 * 60)
        /// Tokens are not made more often than this, errors or not.
        package var minimumInterval: Duration = .seconds(20 * 60)
        /// A token that Apple calls expired is renewed even sooner when its `iat` lies really so far back.
        package var trulyExpired: Duration = .seconds(55 * 60)
        /// An `iat` further ahead of the wall clock than this is one of a clock that was set back.
        package var clockError: Duration = .seconds(60)

        /// The times of Apple's rule with room to spare.
        package init() {}
    }

    private struct State {
        var token: ProviderToken?
        var signed = 0
    }

    /// Whose tokens these are.
    package let credential: APNsCredential
    private let limits: Limits
    private let wallClock: any WallClock
    private let clock: any MonotonicClock
    // Held while a token is signed, some 50 µs once in 45 minutes: whoever comes meanwhile waits for that very token.
    private let state = Locked(State())

    /// Tokens that are signed when they are first asked for.
    package init(
        credential: APNsCredential, limits: Limits = Limits(), wallClock: any WallClock = SystemWallClock(),
        clock: any MonotonicClock = SystemMonotonicClock()
    ) {
        self.credential = credential
        self.limits = limits
        self.wallClock = wallClock
        self.clock = clock
    }

    /// How many tokens were signed so far.
    package var signedCount: Int { state.withLock { $0.signed } }

    /// The token to send with now.
    package func current() -> ProviderToken {
        let (wall, monotonic) = (wallClock.now(), clock.now())
        return state.withLock { state in
            if let token = state.token, !isDue(token, wall, monotonic) { return token }
            return sign(&state, wall, monotonic)
        }
    }

    /// The token to repeat with once after Apple called `rejected` expired, or nil when a new one must not be made: then the
    /// clock is to be suspected, not the token.
    package func renewed(after rejected: ProviderToken) -> ProviderToken? {
        let (wall, monotonic) = (wallClock.now(), clock.now())
        return state.withLock { state in
            guard let token = state.token else { return sign(&state, wall, monotonic) }
            if token.generation != rejected.generation { return token }
            let age = monotonic.duration(since: token.signedAt)
            let apparent = wall.duration(since: token.issuedAt)
            guard age >= limits.minimumInterval || apparent > limits.trulyExpired else { return nil }
            return sign(&state, wall, monotonic)
        }
    }

    private func isDue(_ token: ProviderToken, _ wall: WallInstant, _ monotonic: MonotonicInstant) -> Bool {
        let age = monotonic.duration(since: token.signedAt)
        if age >= limits.renewAfter { return true }
        // The wall clock was set since: Apple will judge by `iat`, so this token is no longer good for 45 minutes.
        let apparent = wall.duration(since: token.issuedAt)
        let isOff = apparent >= limits.renewAfter || apparent < .zero - limits.clockError
        return isOff && age >= limits.minimumInterval
    }

    private func sign(_ state: inout State, _ wall: WallInstant, _ monotonic: MonotonicInstant) -> ProviderToken {
        state.signed += 1
        let token = ProviderToken(credential, generation: state.signed, wall: wall, monotonic: monotonic)
        state.token = token
        return token
    }
}

internal import ReveilleBytes
package import ReveilleRuntime

/// The access token of one service account, shared by every connection that sends for it.
///
/// Says who has it, who asks for the next one and when. Asking is the caller's; this tells one caller only that it is time.
///
/// Confined to the event loop of the sender that owns it.
package struct AccessTokens {
    /// What to do before a message is sent.
    package enum State {
        /// Send with this token.
        case present(AccessToken)
        /// Ask for a token now; everybody else waits for the answer.
        case ask(AccessToken?)
        /// Somebody asked, or the next question must wait.
        case wait
    }

    /// The first pause after a failed question, in seconds; it doubles.
    package static let firstPauseSeconds: Int64 = 1
    /// The longest pause.
    package static let longestPauseSeconds: Int64 = 300

    private var token: AccessToken?
    private var isAsking = false
    private var issued = 0
    private var failures = 0
    private var notBefore: MonotonicInstant?
    /// The first token that was rejected since a message was accepted; when a later one is rejected too, the account is wrong.
    private var rejected: Int?

    /// Nobody has asked yet.
    package init() {}

    /// How many tokens came so far.
    package var issuedCount: Int { issued }

    /// Whether there is a token to send with, or one must be asked for.
    ///
    /// When it says ``State/ask(_:)`` the caller must ask and then tell ``answered(_:now:unit:)``; until then all others wait, or
    /// go on with the old token while that lives.
    package mutating func state(_ now: MonotonicInstant) -> State {
        let living = token.flatMap { $0.expiresAt > now ? $0 : nil }
        let isDue = living.map { $0.renewsAt <= now } ?? true
        if isDue, !isAsking, notBefore.map({ $0 <= now }) ?? true {
            isAsking = true
            return .ask(living)
        }
        return living.map { .present($0) } ?? .wait
    }

    /// When to look again, if a pause is under way.
    package var pauseEnd: MonotonicInstant? { isAsking ? nil : notBefore }

    /// The question was answered.
    ///
    /// - Parameter unit: a random number in 0..<1.
    package mutating func answered(_ answer: TokenAnswer, now: MonotonicInstant, unit: Double) {
        isAsking = false
        switch answer {
        case .token(let text, let lifeSeconds):
            issued += 1
            failures = 0
            notBefore = nil
            token = AccessToken(text, generation: issued, now: now, lifeSeconds: lifeSeconds)
        case .later, .refused:
            failures += 1
            let ceiling = min(Self.longestPauseSeconds, Self.firstPauseSeconds << Int64(min(failures - 1, 12)))
            notBefore = now + .milliseconds(Int64(Double(ceiling * 1_000) * (0.5 + unit / 2)))
        }
    }

    /// The question could not be asked, or nobody answered.
    package mutating func notAnswered(now: MonotonicInstant, unit: Double) {
        answered(.later(.tokenEndpointBusy), now: now, unit: unit)
    }

    /// A message was refused because of its token, which is not used any more.
    ///
    /// - Returns: whether the message may be repeated with another token; false when its token was itself the replacement of a
    ///   rejected one: then the account, not the token, is wrong.
    package mutating func rejected(_ generation: Int) -> Bool {
        if let token {
            // A newer token is there already: another message was refused before.
            if token.generation > generation { return true }
            self.token = nil
        }
        guard let rejected else {
            rejected = generation
            return true
        }
        return generation <= rejected
    }

    /// A message was accepted.
    package mutating func accepted(_ generation: Int) {
        if let rejected, generation > rejected { self.rejected = nil }
    }
}

/// How much one caller may ask of the home server.
package struct InboxLimits: Hashable, Sendable {
    /// Requests of one producer: a ceiling against a loop that ran away, far above the store's pace; nil: no limit.
    package var producer: RateLimit? = RateLimit(perSecond: 50_000, burst: 100_000)
    /// Requests of one profile with all its devices.
    package var profile = RateLimit(perSecond: 50, burst: 300)
    /// Registrations and verification codes of one profile: a code has too few digits to be tried often.
    package var registration = RateLimit(perMinute: 30, burst: 60)
    /// Refused credentials from one address (IPv6: one /64).
    package var failedCredentials = RateLimit(perMinute: 10, burst: 20)

    /// The limits that fit one household or office.
    package init() {}
}

import ReveilleCore
package import ReveilleRuntime

/// The buckets of all callers; their memory does not grow with the number of callers.
package final class CallerLimits: Sendable {
    private let producers: RateSketch?
    private let profiles: RateSketch
    private let registrations: RateSketch
    private let failedCredentials: RateSketch

    /// Fills all buckets.
    package init(_ limits: InboxLimits, clock: any MonotonicClock, random: any RandomSource) {
        producers = limits.producer.map { RateSketch($0, clock: clock, random: random) }
        profiles = RateSketch(limits.profile, clock: clock, random: random)
        registrations = RateSketch(limits.registration, clock: clock, random: random)
        failedCredentials = RateSketch(limits.failedCredentials, clock: clock, random: random)
    }

    /// Counts a request of a producer.
    func count(_ producer: ProducerRow) throws(InboxError) {
        try Self.admit(producers?.take(producer.number), or: .rateLimited)
    }

    /// Counts a request of a profile.
    func count(_ profile: ProfileRow) throws(InboxError) {
        try Self.admit(profiles.take(profile.number), or: .rateLimited)
    }

    /// Counts a registration or a verification code of a profile.
    func countRegistration(_ profile: ProfileRow) throws(InboxError) {
        try Self.admit(registrations.take(profile.number), or: .rateLimited)
    }

    /// Counts a refused credential; throws when the address had too many.
    func countFailure(_ address: ClientAddress) throws(InboxError) {
        try Self.admit(failedCredentials.take(address), or: .tooManyFailedCredentials)
    }

    private static func admit(_ wait: Int64?, or code: InboxErrorCode) throws(InboxError) {
        if let wait { throw InboxError(code, retryAfterSeconds: wait) }
    }
}

import ReveilleBytes

/// What a provider's answer means for the wake and the device.
///
/// Each provider has one table that turns its answers into these; nothing else in the program knows
/// status codes or reasons.
package enum Outcome: Hashable, Sendable {
    /// The provider took the wake.
    case accepted
    /// Due again by the schedule, until expiry.
    case retry(reason: ProviderReason, after: RetryFloor)
    /// The connection died after the request may have left: the same frozen request again.
    case unknown(reason: ProviderReason)
    /// A new credential once, then the same wake.
    case renewCredential(reason: ProviderReason)
    /// The provider says the device is gone, since a time in milliseconds when it names one.
    case deviceGone(reason: ProviderReason, sinceMilliseconds: Int64?)
    /// The token may belong to the other environment.
    case wrongEnvironment(reason: ProviderReason)
    /// Nothing is wrong with the wake or the device: an operator must act.
    case misconfigured(reason: ProviderReason, scope: MisconfigurationScope)
    /// This wake can never be accepted as it is.
    case refused(reason: ProviderReason)
}

/// Whether a configuration fault stops a lane, one topic of it, or one subscription.
package enum MisconfigurationScope: Hashable, Sendable {
    case lane
    case topic
    /// The answer is about one subscription: its wakes wait, all others go on, until several say the same.
    case subscription
}

/// When a wake may go again at the earliest, and whom the provider slowed down.
package enum RetryFloor: Hashable, Sendable {
    /// Once at once on a new connection, then by the schedule.
    case atOnceThenSchedule
    /// By the schedule, but not before `seconds`.
    case schedule(seconds: Int64)
    /// The provider slowed this device only: not before `seconds`.
    case devicePaced(seconds: Int64)
    /// The provider slowed the lane: nothing on it before `seconds`.
    case lanePaced(seconds: Int64)
}

/// The word a provider gave for its answer, from a closed list per provider.
///
/// Made only from constants, so that no text of a peer reaches logs, metrics or the store.
package struct ProviderReason: Hashable, Sendable {
    /// The word, such as `BadDeviceToken`.
    package let word: String

    /// Names a reason with a constant.
    package init(_ word: StaticString) {
        self.word = word.withUTF8Buffer { String(decoding: $0, as: UTF8.self) }
    }

    /// Takes a word back that the store kept.
    package init(stored word: String) {
        self.word = word
    }
}

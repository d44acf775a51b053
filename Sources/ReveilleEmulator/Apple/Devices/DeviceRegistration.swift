package import ReveilleRuntime

/// Whether Apple still takes pushes for a token.
package enum DeviceRegistration: Sendable, Equatable {
    /// The app is there.
    case active
    /// The app was removed at this time: 410 Unregistered.
    case unregistered(since: WallInstant)
    /// The token ran out at this time: 410 ExpiredToken.
    case expired(since: WallInstant)

    /// Refuses a push to a token that is dead `now`.
    ///
    /// One that dies later is still good.
    func check(at now: WallInstant) throws(AppleRefusal) {
        switch self {
        case .active: break
        case .unregistered(let since):
            guard since > now else {
                throw AppleRefusal(
                    .unregistered, .tokenIsUnregistered, timestamp: since.milliseconds)
            }
        case .expired(let since):
            guard since > now else {
                throw AppleRefusal(.expiredToken, .tokenIsExpired, timestamp: since.milliseconds)
            }
        }
    }
}

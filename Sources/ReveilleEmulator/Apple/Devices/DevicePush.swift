package import ReveilleRuntime

/// A push that Apple accepted, on its way to the device or on the device.
package struct DevicePush: Sendable, Equatable {
    /// The id that Apple answered with.
    package let apnsID: String
    /// What later pushes with the same value replace.
    package let collapseID: String?
    /// The push type, or nil when the request named none.
    package let pushType: ApplePushType?
    /// When Apple took it.
    package let receivedAt: WallInstant
    /// Seconds since 1970; 0 means "do not store"; nil leaves it to Apple.
    package let expiration: Int64?
    /// What the payload asks of the system.
    package let summary: ApplePayload
    /// The payload, byte by byte.
    package let payload: [UInt8]
    /// When the device got it; nil while Apple stores it.
    package internal(set) var deliveredAt: WallInstant?
    /// How many pushes with the same collapse id this one replaced on the screen, directly or in turn.
    package internal(set) var replacedCount = 0

    /// How long Apple stores a push that names no expiration.
    static let longestStorage = Duration.seconds(30 * 86_400)

    /// Whether Apple stores the push for a device that is offline `now`.
    func isStorable(at now: WallInstant) -> Bool {
        guard let expiration else { return true }
        return WallInstant(seconds: expiration) > now
    }

    /// Whether a stored push has outlived its time.
    func isExpired(at now: WallInstant) -> Bool {
        guard let expiration else { return now >= receivedAt.adding(Self.longestStorage) }
        return now >= WallInstant(seconds: expiration)
    }
}

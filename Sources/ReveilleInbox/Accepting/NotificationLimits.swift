/// The sizes of a notification's fields, in octets of UTF-8 unless named otherwise.
package enum NotificationLimits {
    /// Profiles in one post.
    package static let recipients = 1_000
    /// A profile's id.
    package static let profileID = 128
    /// A category's name.
    package static let category = 64
    /// The title; systems show far less.
    package static let title = 1_024
    /// The body text.
    package static let body = 16_384
    /// The producer's own data as compact JSON.
    package static let data = 32_768
    /// The levels of the producer's own data.
    package static let dataDepth = 16
    /// A series' name.
    package static let series = 255
    /// An idempotency key.
    package static let idempotencyKey = 255
}

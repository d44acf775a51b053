/// What a request asks Apple to do, read from its header section.
package struct ApplePush: Sendable, Equatable {
    /// The device token, in lower-case hexadecimal.
    package let token: String
    /// `apns-topic` as sent.
    package let topic: String
    /// The topic without the suffix of its push type.
    package let bundleID: String
    /// The push type, or nil when the request names none.
    package let pushType: ApplePushType?
    /// 10, 5 or 1; 10 when the request names none.
    package let priority: Int
    /// Seconds since 1970; 0 means "do not store"; nil leaves it to Apple.
    package let expiration: Int64?
    /// `apns-id` as sent, or nil when Apple has to make one.
    package let id: String?
    /// What later pushes with the same value replace.
    package let collapseID: String?
}

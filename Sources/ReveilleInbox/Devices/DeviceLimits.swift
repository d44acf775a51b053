/// The sizes of a device's fields, in octets of UTF-8 unless named otherwise.
package enum DeviceLimits {
    /// The app's own id of its install.
    package static let installID = 128
    /// A printed token: 200 octets in hexadecimal with blanks and brackets.
    package static let printedToken = 1_024
    /// A registration token of FCM.
    package static let fcmToken = 2_048
    /// The URL of a subscription.
    package static let endpoint = 2_048
    /// A key of a subscription in its longest printed form.
    package static let subscriptionKey = 128
    /// A topic.
    package static let topic = 255
    /// A device's name.
    package static let name = 128
    /// An app's version.
    package static let appVersion = 64
    /// A locale (RFC 5646 section 4.4.1 recommends room for 35 characters).
    package static let locale = 64
    /// Categories that a device chooses.
    package static let categories = 64
    /// A category's name.
    package static let category = NotificationLimits.category
    /// An installation key in its longest printed form.
    package static let printedInstallationKey = 128
    /// An installation key itself.
    package static let installationKeyOctets = 32
    /// The code of a verification wake.
    package static let verificationCode = 64
    /// The highest generation: the largest whole number that every JSON reader keeps (RFC 7493 section 2.2).
    package static let generation: ClosedRange<Int64> = 1...9_007_199_254_740_991
}

/// One of Apple's two worlds of device tokens; a token of one is refused by the other.
package enum AppleEnvironment: String, Sendable, CaseIterable {
    /// `api.push.apple.com`: App Store, TestFlight and ad hoc builds.
    case production
    /// `api.sandbox.push.apple.com`: builds run from Xcode. Answers carry `apns-unique-id`.
    case sandbox

    /// The environment's host, as Apple names it.
    package var host: String {
        switch self {
        case .production: "api.push.apple.com"
        case .sandbox: "api.sandbox.push.apple.com"
        }
    }
}

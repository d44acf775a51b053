import ReveilleStorage

/// What a producer's token must allow for a route, in the words of its scopes.
package enum ProducerRight: String, CaseIterable, Sendable {
    case notify
    case mailEvents = "mail:events"
    case mintProfiles = "profiles:mint"

    /// The scope that gives it.
    var scope: Scope {
        switch self {
        case .notify: .notify
        case .mailEvents: .mailEvents
        case .mintProfiles: .mintProfiles
        }
    }
}

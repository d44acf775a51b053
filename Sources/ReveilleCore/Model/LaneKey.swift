/// What makes two wakes share a queue, connections, pacing and health.
package struct LaneKey: Hashable, Sendable {
    /// Where it leads.
    package let destination: LaneDestination
    /// The slot of the credential: a rotated key serves the wakes that waited for its predecessor.
    ///
    /// For push services the id of the VAPID pair that a subscription was made with, since it takes no other.
    package let credential: String

    /// The slot of the home server's own key for a provider.
    package static let ownCredential = "own"

    /// Names a lane.
    package init(_ destination: LaneDestination, credential: String = Self.ownCredential) {
        self.destination = destination
        self.credential = credential
    }

    /// The lane to an environment of APNs.
    package static func apns(_ environment: APNsEnvironment) -> LaneKey { LaneKey(.apns(environment)) }

    /// The lane to FCM.
    package static let fcm = LaneKey(.fcm)

    /// The push service behind it.
    package var provider: ProviderKind { destination.provider }
}

/// Where a lane leads: an environment of APNs, FCM, or one origin of a push service.
package enum LaneDestination: Hashable, Sendable {
    case apns(APNsEnvironment)
    case fcm
    /// A push service of browsers, by its origin: `https://host`, with the port if it is not 443.
    case webPush(origin: String)
    /// The push server of a distributor, by its origin.
    case unifiedPush(origin: String)

    /// The push service.
    package var provider: ProviderKind {
        switch self {
        case .apns: .apns
        case .fcm: .fcm
        case .webPush: .webPush
        case .unifiedPush: .unifiedPush
        }
    }

    /// The place at the provider: the environment, or the origin; empty where there is only one.
    package var place: String {
        switch self {
        case .apns(let environment): environment.rawValue
        case .fcm: ""
        case .webPush(let origin), .unifiedPush(let origin): origin
        }
    }

    /// The destination of a provider's place; nil when the provider has no such place.
    package init?(provider: ProviderKind, place: String) {
        switch provider {
        case .apns:
            guard let environment = APNsEnvironment(rawValue: place) else { return nil }
            self = .apns(environment)
        case .fcm:
            guard place.isEmpty else { return nil }
            self = .fcm
        case .webPush:
            guard !place.isEmpty else { return nil }
            self = .webPush(origin: place)
        case .unifiedPush:
            guard !place.isEmpty else { return nil }
            self = .unifiedPush(origin: place)
        }
    }

    /// The environment of APNs.
    package var apnsEnvironment: APNsEnvironment? {
        switch self {
        case .apns(let environment): environment
        case .fcm, .webPush, .unifiedPush: nil
        }
    }

    /// Where a device may be found whose token was never accepted here: the other environment of APNs.
    package var other: LaneDestination? {
        apnsEnvironment.map { .apns($0.other) }
    }
}

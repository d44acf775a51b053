/// What a provider is asked to wake: a device token, a registration token, or a subscription.
///
/// Cannot be printed.
package enum DeviceAddress: Hashable, Sendable {
    case apns(DeviceToken)
    case fcm(FCMTarget)
    case push(PushSubscription)

    /// The octets that the store seals.
    package var octets: [UInt8] {
        switch self {
        case .apns(let token): token.octets
        case .fcm(let target): target.octets
        case .push(let subscription): subscription.octets
        }
    }

    /// What makes two addresses the same device: a subscription's keys may change, its endpoint is its own.
    package var identity: [UInt8] {
        switch self {
        case .apns(let token): token.octets
        case .fcm(let target): target.octets
        case .push(let subscription): Array(subscription.endpoint.utf8)
        }
    }

    /// Takes octets back that the store sealed; nil when they are no address of the provider.
    package init?(octets: [UInt8], provider: ProviderKind) {
        switch provider {
        case .apns:
            guard let token = try? DeviceToken(octets: octets) else { return nil }
            self = .apns(token)
        case .fcm:
            guard let target = FCMTarget(octets: octets) else { return nil }
            self = .fcm(target)
        case .webPush, .unifiedPush:
            guard let subscription = PushSubscription(octets: octets) else { return nil }
            self = .push(subscription)
        }
    }
}

extension DeviceAddress: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "‹device address›" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

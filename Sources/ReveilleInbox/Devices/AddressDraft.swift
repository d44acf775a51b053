package import ReveilleBytes
package import ReveilleCore
package import ReveilleEndpoints
internal import ReveilleWebPush

/// What a provider is to wake, as the app sent it.
package enum AddressDraft: Sendable {
    /// A device token of APNs, as the app printed it.
    case apple(SecretText, APNsEnvironment)
    /// A registration token of FCM, or a Firebase installation id.
    case fcm(FCMTarget.Kind, SecretText)
    /// A subscription of a browser or of a UnifiedPush distributor.
    case push(EndpointKind, SubscriptionDraft)

    /// What an address comes to: over which lane it is woken, and whether it must prove itself.
    struct Checked {
        let lane: LaneKey
        let address: DeviceAddress
        let isSubscription: Bool
    }

    /// The field that names the app or topic.
    var appField: String {
        switch self {
        case .apple: "apns_topic"
        case .fcm, .push: "app"
        }
    }

    /// Holds the rules of the address's kind.
    func checked(by services: PushServices) throws(InboxError) -> Checked {
        switch self {
        case .apple(let token, let environment):
            return Checked(
                lane: .apns(environment), address: .apns(try PrintedToken.read(token)), isSubscription: false)
        case .fcm(let kind, let text):
            do throws(FCMTargetError) {
                let target = try FCMTarget(kind, parsing: text.reveal())
                return Checked(lane: .fcm, address: .fcm(target), isSubscription: false)
            } catch {
                throw .invalid(kind == .token ? "fcm_token" : "fcm_installation_id", Self.explanation(error))
            }
        case .push(let kind, let draft): return try draft.checked(kind, by: services)
        }
    }

    private static func explanation(_ error: FCMTargetError) -> StaticString {
        switch error {
        case .empty: "must not be empty"
        case .tooLong: "is longer than any token of FCM"
        case .wrongCharacter: "must be visible ASCII without quotation marks and backslashes"
        case .looksLikeOtherProvider: "does not look like a token of FCM but like a device token of APNs"
        }
    }
}

/// A subscription as browsers and distributors hand it out.
package struct SubscriptionDraft: Sendable {
    package var endpoint: SecretText
    /// `p256dh`, base64url of a point of P-256.
    package var publicKey: String
    /// `auth`, base64url of 16 octets.
    package var secret: SecretText
    /// The public key of this server that it was made with; nil for the present one.
    package var serverKey: String?

    /// Names the parts.
    package init(endpoint: SecretText, publicKey: String, secret: SecretText, serverKey: String?) {
        self.endpoint = endpoint
        self.publicKey = publicKey
        self.secret = secret
        self.serverKey = serverKey
    }

    /// Judges endpoint and keys by their text alone: what stands at the endpoint, its registrant never learns from here.
    func checked(_ kind: EndpointKind, by services: PushServices) throws(InboxError) -> AddressDraft.Checked {
        let url: EndpointURL
        do throws(EndpointFault) {
            url = try services.policy.endpoint(endpoint.reveal(), kind: kind)
        } catch {
            throw .invalid("subscription.endpoint", Self.explanation(error))
        }
        let keys: SubscriptionKeys
        do throws(SubscriptionKeys.Fault) {
            keys = try SubscriptionKeys(p256dh: publicKey, auth: secret.reveal())
        } catch {
            switch error {
            case .publicKey:
                throw .invalid("subscription.keys.p256dh", "must be base64url of an uncompressed point of P-256")
            case .authenticationSecret: throw .invalid("subscription.keys.auth", "must be base64url of 16 octets")
            }
        }
        guard let key = services.key(serverKey) else {
            throw InboxError(
                .unknownVAPIDKey, field: "vapid_key", explanation: "is not the public key of a pair of this server")
        }
        let subscription = PushSubscription(
            endpoint: endpoint.reveal(), publicKey: keys.publicPoint,
            secret: keys.authenticationSecret.withUnsafeBytes { Array($0) })
        guard let subscription else { throw .invalid("subscription.endpoint", Self.explanation(.length)) }
        let destination: LaneDestination =
            switch kind {
            case .webPush: .webPush(origin: url.origin)
            case .unifiedPush: .unifiedPush(origin: url.origin)
            }
        return AddressDraft.Checked(
            lane: LaneKey(destination, credential: key.id), address: .push(subscription), isSubscription: true)
    }

    private static func explanation(_ fault: EndpointFault) -> StaticString {
        switch fault {
        case .length: "is longer than endpoints of its kind may be"
        case .controlOrSpace, .nonASCII, .backslash: "must be printable ASCII without blanks and backslashes"
        case .scheme: "must begin with https://"
        case .syntax, .percentHost, .trailingDot, .zoneID, .nonCanonicalAddress: "has no proper host"
        case .fragment: "must have no fragment"
        case .userInfo: "must name no user"
        case .port: "has a port that endpoints of its kind may not have"
        case .blockedAddress, .specialName, .singleLabel, .addresses: "must lead to a public host"
        case .host: "is not at a known push service of browsers"
        case .noIdentifier: "has neither a path nor a query that names the receiver"
        }
    }
}

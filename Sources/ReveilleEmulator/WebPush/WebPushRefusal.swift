/// Which rule of RFC 8030, 8188, 8291 or 8292 a push breaks.
package enum WebPushRefusal: String, Error, Sendable, CaseIterable {
    /// Another method than POST.
    case method
    /// No such subscription.
    case unknownSubscription = "unknown_subscription"
    /// The subscription was there and is gone.
    case goneSubscription = "gone_subscription"
    /// No `TTL` (RFC 8030, section 5.2).
    case ttlMissing = "ttl_missing"
    /// A `TTL` that is no number.
    case ttlMalformed = "ttl_malformed"
    /// More than one `Urgency`, or an unknown one (section 5.3).
    case urgency
    /// A `Topic` of more than 32 characters or another alphabet (section 5.4).
    case topic
    /// A body without `Content-Encoding: aes128gcm`, or one without a body.
    case encoding
    /// A body that cannot be a record of RFC 8291.
    case body
    /// More than 4096 octets.
    case tooLarge = "too_large"
    /// No `Authorization` where the service wants one.
    case vapidMissing = "vapid_missing"
    /// An `Authorization` that is no VAPID of RFC 8292, or with a wrong signature.
    case vapidMalformed = "vapid_malformed"
    /// `aud` is not the origin of the endpoint.
    case vapidAudience = "vapid_audience"
    /// `exp` is over, or more than 24 hours ahead.
    case vapidExpiry = "vapid_expiry"
    /// `sub` is neither `mailto:` nor `https:`.
    case vapidSubject = "vapid_subject"
    /// Another key than the subscription was made with.
    case vapidKey = "vapid_key"
    /// The VAPID key is also the key of the encryption (RFC 8292, section 3.2).
    case keyUsedTwice = "key_used_twice"

    /// Whether it is about who sends.
    var isVAPID: Bool {
        switch self {
        case .vapidMissing, .vapidMalformed, .vapidAudience, .vapidExpiry, .vapidSubject, .vapidKey: true
        case .method, .unknownSubscription, .goneSubscription, .ttlMissing, .ttlMalformed, .urgency, .topic, .encoding,
            .body, .tooLarge, .keyUsedTwice:
            false
        }
    }
}

/// What the API reads of a request, and which canary stands in for each.
///
/// A test compares the names with those that the handlers ask for, so that a field of tomorrow cannot be without one.
package enum RequestFields {
    /// How a field is treated.
    package enum Treatment: Sendable {
        /// It holds a canary.
        case canary(PrivateField)
        /// It can only be a word of a closed list or a number, which nobody can fill with content.
        case closed
    }

    /// Members of bodies.
    package static let members: [String: Treatment] = [
        "recipients": .canary(.profile), "category": .canary(.category), "title": .canary(.title),
        "body": .canary(.body), "data": .canary(.data), "series": .canary(.series), "alert": .closed, "ttl": .closed,
        "device_id": .canary(.installID), "apns_token": .canary(.token), "apns_environment": .closed,
        "apns_topic": .canary(.topic), "os": .closed, "name": .canary(.deviceName),
        "app_version": .canary(.appVersion), "locale": .canary(.locale), "push_mode": .closed,
        "categories": .canary(.deviceCategory), "installation_key": .canary(.installationKey), "generation": .closed,
        "verification_code": .canary(.verificationCode), "code": .canary(.verificationCode),
        "label": .canary(.label), "cursor": .canary(.cursor), "app": .canary(.topic), "fcm_token": .canary(.token),
        "fcm_installation_id": .canary(.token), "subscription": .canary(.token), "vapid_key": .canary(.token),
    ]

    /// Parameters of queries.
    package static let parameters: [String: Treatment] = [
        "since": .canary(.cursor), "before": .canary(.query), "after": .canary(.query), "limit": .closed,
    ]

    /// Header fields that the API itself reads.
    package static let headers: [String: Treatment] = [
        "authorization": .canary(.credential), "content-type": .canary(.header),
        "content-encoding": .canary(.header),
        "idempotency-key": .canary(.idempotencyKey), "origin": .canary(.header),
        "access-control-request-method": .canary(.header), "reveille-device": .canary(.header),
    ]

    /// Parameters of paths.
    package static let pathParameters: [String: Treatment] = [
        "profile_id": .canary(.profile), "token_id": .canary(.path), "delivery_id": .canary(.path),
        "id": .canary(.path), "code": .canary(.path),
    ]
}

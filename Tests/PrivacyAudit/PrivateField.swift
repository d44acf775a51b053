/// Every private text of a road: each gets a canary of its own.
///
/// Adding a case is all that a new private field needs; a test compares the table of requests (``RequestFields``) with what the
/// API reads, and a run fails when a field's canary was never sent.
package enum PrivateField: String, CaseIterable, Sendable, Hashable {
    // A notification.
    case title
    case body
    case data
    case dataKey = "data_key"
    case category
    case series
    case profile
    case idempotencyKey = "idempotency_key"
    // Mail, whose routes a later version serves; they must be as silent when they refuse.
    case sender
    case subject
    case folder
    // A device.
    case deviceName = "device_name"
    case installID = "device_id"
    case appVersion = "app_version"
    case locale
    case deviceCategory = "device_category"
    case token = "apns_token"
    case topic = "apns_topic"
    case installationKey = "installation_key"
    case registrationKey = "registration_idempotency_key"
    case verificationCode = "verification_code"
    // Names and credentials.
    case producer
    case label
    case credential
    case masterKey = "master_key"
    case providerKey = "apns_key"
    // What else a request may hold.
    case serverName = "server_name"
    case path
    case query
    case cursor
    case fieldValue = "unknown_field_value"
    case fieldName = "unknown_field_name"
    case header
    case method
    // What a provider says, which may repeat what it was sent.
    case providerReason = "provider_reason"
}

/// The closed list of what is said about an answer of FCM or of the token endpoint, or about its absence.
package enum FCMReason: String, CaseIterable, Sendable {
    // FCM's own error codes (Firebase, "ErrorCode").
    case unspecifiedError = "UNSPECIFIED_ERROR"
    case invalidArgument = "INVALID_ARGUMENT"
    case unregistered = "UNREGISTERED"
    case senderIDMismatch = "SENDER_ID_MISMATCH"
    case quotaExceeded = "QUOTA_EXCEEDED"
    case unavailable = "UNAVAILABLE"
    case internalError = "INTERNAL"
    case thirdPartyAuthError = "THIRD_PARTY_AUTH_ERROR"

    // What Google says without an error code of FCM's (google.rpc.Code).
    case unauthenticated = "UNAUTHENTICATED"
    case permissionDenied = "PERMISSION_DENIED"
    case notFound = "NOT_FOUND"
    case resourceExhausted = "RESOURCE_EXHAUSTED"

    // Our own words.
    case invalidToken = "InvalidToken"
    case deviceQuota = "DeviceQuota"
    case unknown = "UnknownReason"
    case notFCM = "NotFCM"
    case notGoogle = "NotGoogle"
    case invalidGrant = "InvalidGrant"
    case invalidScope = "InvalidScope"
    case refusedGrant = "RefusedGrant"
    case tokenEndpointBusy = "TokenEndpointBusy"
}

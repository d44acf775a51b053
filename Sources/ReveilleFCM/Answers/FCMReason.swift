internal import ReveilleTelemetry

/// The closed list of what is said about an answer of FCM or of the token endpoint, or about its absence.
package enum FCMReason: String, CaseIterable, Sendable, MetricLabel {
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

    // Our own words for answers.
    /// A violation names the token, and nothing else.
    case invalidToken = "InvalidToken"
    case deviceQuota = "DeviceQuota"
    case unknown = "UnknownReason"
    /// An answer that FCM does not give: something else stands at its address.
    case notFCM = "NotFCM"

    // What the token endpoint said, or did not.
    case notGoogle = "NotGoogle"
    case invalidGrant = "InvalidGrant"
    case invalidScope = "InvalidScope"
    case refusedGrant = "RefusedGrant"
    case tokenEndpointBusy = "TokenEndpointBusy"
    case tokenEndpointNotFound = "TokenEndpointNotFound"
    case tokenEndpointUnreachable = "TokenEndpointUnreachable"

    // Where there was no answer.
    /// The connection ended before the answer.
    case connectionLost = "ConnectionLost"
    /// The server ended the connection with GOAWAY, this request's stream not among those it took.
    case goAway = "GoAway"
    /// The server refused the stream (REFUSED_STREAM).
    case refusedStream = "RefusedStream"
    /// The request did not leave.
    case notSent = "NotSent"
    /// The server reset the stream.
    case streamReset = "StreamReset"
    /// No answer came before the request's deadline.
    case noAnswer = "NoAnswer"
    /// The sender was stopped before the answer came.
    case drained = "Drained"
    /// A message that is wrong in itself and was not sent.
    case invalidRequest = "InvalidRequest"
    /// No connection could be made.
    case notConnected = "NotConnected"
    /// Every connection is open, and the server allows no stream on it (SETTINGS_MAX_CONCURRENT_STREAMS of 0).
    case noStreams = "NoStreams"
}

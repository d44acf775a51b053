internal import ReveilleTelemetry

/// The words that APNs gives for its refusals, and ours where it gives none.
///
/// A closed list: a word that is not on it becomes ``unknown``, so no text of a peer gets into logs, metrics or the store.
package enum APNsReason: String, CaseIterable, Sendable, MetricLabel {
    case badCollapseID = "BadCollapseId"
    case badDeviceToken = "BadDeviceToken"
    case badExpirationDate = "BadExpirationDate"
    case badMessageID = "BadMessageId"
    case badPriority = "BadPriority"
    case badTopic = "BadTopic"
    case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
    case duplicateHeaders = "DuplicateHeaders"
    case idleTimeout = "IdleTimeout"
    case invalidPushType = "InvalidPushType"
    case missingDeviceToken = "MissingDeviceToken"
    case missingTopic = "MissingTopic"
    case payloadEmpty = "PayloadEmpty"
    case topicDisallowed = "TopicDisallowed"
    case badCertificate = "BadCertificate"
    case badCertificateEnvironment = "BadCertificateEnvironment"
    case expiredProviderToken = "ExpiredProviderToken"
    case forbidden = "Forbidden"
    case invalidProviderToken = "InvalidProviderToken"
    case missingProviderToken = "MissingProviderToken"
    case unrelatedKeyIDInToken = "UnrelatedKeyIdInToken"
    case badEnvironmentKeyIDInToken = "BadEnvironmentKeyIdInToken"
    case badEnvironmentKeyInToken = "BadEnvironmentKeyInToken"
    case badPath = "BadPath"
    case methodNotAllowed = "MethodNotAllowed"
    case expiredToken = "ExpiredToken"
    case unregistered = "Unregistered"
    case payloadTooLarge = "PayloadTooLarge"
    case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
    case tooManyRequests = "TooManyRequests"
    case internalServerError = "InternalServerError"
    case serviceUnavailable = "ServiceUnavailable"
    case shutdown = "Shutdown"
    case invalidToken = "InvalidToken"
    case invalidSigningKey = "InvalidSigningKey"

    /// An answer with a reason that is not on this list.
    case unknown = "UnknownReason"
    /// An answer without a readable reason.
    case unreadable = "UnreadableAnswer"
    /// An answer that APNs does not give: something else stands at its address.
    case notAPNs = "NotAPNs"
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
    /// A request that is wrong in itself and was not sent.
    case invalidRequest = "InvalidRequest"
    /// No connection could be made.
    case notConnected = "NotConnected"
    /// Every connection is open, and the server allows no stream on it (SETTINGS_MAX_CONCURRENT_STREAMS of 0).
    case noStreams = "NoStreams"
}

internal import ReveilleTelemetry

/// The closed list of what is said about an answer of a push service, or about its absence.
///
/// A word that is not on it becomes one by its status, so no text of a peer gets into logs, metrics or the store.
package enum WebPushReason: String, CaseIterable, Sendable, MetricLabel {
    // Apple's words (Apple, "Sending web push notifications in web apps and browsers").
    case badTTL = "BadTtl"
    case badUrgency = "BadUrgency"
    case badWebPushRequest = "BadWebPushRequest"
    case badWebPushTopic = "BadWebPushTopic"
    case keyMismatch = "VapidPkHashMismatch"
    case idleTimeout = "IdleTimeout"
    case badAuthorization = "BadAuthorizationHeader"
    case badToken = "BadJwtToken"
    case badPublicKey = "BadVapidPublicKey"
    case badPath = "BadPath"
    case methodNotAllowed = "MethodNotAllowed"
    case payloadTooLarge = "PayloadTooLarge"
    case tooManyRequests = "TooManyRequests"
    case internalServerError = "InternalServerError"
    case serviceUnavailable = "ServiceUnavailable"
    case shutdown = "Shutdown"

    // Mozilla's errno (autopush, "Error Codes").
    case missingCryptoKeys = "Errno101"
    case unknownEndpoint = "Errno102"
    case unknownUser = "Errno103"
    case dataTooLarge = "Errno104"
    case userDeleted = "Errno105"
    case subscriptionGone = "Errno106"
    case wrongRouter = "Errno108"
    case vapidFault = "Errno109"
    case badEncryption = "Errno110"
    case missingTTL = "Errno111"
    case unreadableTTL = "Errno112"
    case badTopic = "Errno113"
    case negativeTTL = "Errno114"
    case notStored = "Errno201"
    case repeatAtOnce = "Errno202"
    case bridgeMisconfigured = "Errno900"
    case bridgeAuthentication = "Errno901"
    case bridgeUnreachable = "Errno902"
    case bridgeSilent = "Errno903"
    case mozillaUnknown = "Errno999"

    // Microsoft's headers.
    case dropped = "Dropped"
    case channelThrottled = "ChannelThrottled"

    // Statuses without a word.
    case malformed = "BadRequest"
    case unauthorized = "Unauthorized"
    case forbidden = "Forbidden"
    case notFound = "NotFound"
    case gone = "Gone"
    case throttled = "Throttled"
    case tooLarge = "TooLarge"
    case nobodySubscribed = "NobodySubscribed"
    case serverTrouble = "ServerTrouble"
    case redirect = "Redirect"
    case webPage = "WebPage"
    case otherStatus = "OtherStatus"

    // Ours.
    /// The policy does not, or no longer, allow the endpoint.
    case endpointRefused = "EndpointRefused"
    /// The endpoint belongs to another lane.
    case otherOrigin = "OtherOrigin"
    /// The stored subscription has no key that can be encrypted to.
    case unusableKeys = "UnusableKeys"
    /// A request that is wrong in itself and was not sent.
    case invalidRequest = "InvalidRequest"
    /// No connection could be made, or none that the guard allows.
    case notConnected = "NotConnected"
    case wrongProtocol = "WrongProtocol"
    case noStreams = "NoStreams"
    case connectionLost = "ConnectionLost"
    case goAway = "GoAway"
    case refusedStream = "RefusedStream"
    case notSent = "NotSent"
    case streamReset = "StreamReset"
    case noAnswer = "NoAnswer"
    case drained = "Drained"
}

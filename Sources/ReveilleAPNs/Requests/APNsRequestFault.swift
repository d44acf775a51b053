/// Why a try is not sent: checked again before the first byte, whatever was checked before.
package enum APNsRequestFault: String, Error, CaseIterable, Sendable {
    /// The token is not lower-case hexadecimal, and would not be a path.
    case tokenText = "token_text"
    /// The request id is not a lower-case UUID.
    case requestID = "request_id"
    /// No topic, or one with characters that a header must not have.
    case topic = "topic"
    /// The payload is empty.
    case payloadEmpty = "payload_empty"
    /// The payload is over 4096 octets.
    case payloadTooLarge = "payload_too_large"
    /// The collapse id is over 64 octets or has characters that a header must not have.
    case collapseID = "collapse_id"

    /// The word for the outcome: Apple's, where it has one for the same fault.
    package var reason: APNsReason {
        switch self {
        case .tokenText, .requestID: .invalidRequest
        case .topic: .missingTopic
        case .payloadEmpty: .payloadEmpty
        case .payloadTooLarge: .payloadTooLarge
        case .collapseID: .badCollapseID
        }
    }
}

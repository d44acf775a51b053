/// Apple's refusal of a request, with what the emulator knows beyond Apple's answer.
package struct AppleRefusal: Error, Sendable, Equatable {
    /// What Apple answers.
    package let reason: AppleReason
    /// Since when a token is dead, in milliseconds since 1970; answered with 410 only.
    package let timestamp: Int64?
    /// Which rule was broken: for the history and the counters, never part of the answer.
    package let detail: Detail

    /// A refusal by one rule.
    package init(_ reason: AppleReason, _ detail: Detail, timestamp: Int64? = nil) {
        self.reason = reason
        self.detail = detail
        self.timestamp = timestamp
    }

    /// The rules, finer than Apple's reasons.
    package enum Detail: String, Sendable, CaseIterable {
        case methodIsNotPost = "method_is_not_post"
        case pathIsUnknown = "path_is_unknown"
        case tokenIsMissing = "token_is_missing"
        case tokenIsMalformed = "token_is_malformed"
        case tokenIsUnknown = "token_is_unknown"
        case tokenIsOfOtherEnvironment = "token_is_of_other_environment"
        case tokenIsOfOtherTopic = "token_is_of_other_topic"
        case tokenIsUnregistered = "token_is_unregistered"
        case tokenIsExpired = "token_is_expired"
        case fieldStandsTwice = "field_stands_twice"
        case authorizationIsMissing = "authorization_is_missing"
        case authorizationIsNotBearer = "authorization_is_not_bearer"
        case jwtIsMalformed = "jwt_is_malformed"
        case jwtAlgorithmIsWrong = "jwt_algorithm_is_wrong"
        case jwtKeyIsUnknown = "jwt_key_is_unknown"
        case jwtSignatureIsWrong = "jwt_signature_is_wrong"
        case jwtIssuerIsWrong = "jwt_issuer_is_wrong"
        case jwtTimeIsMissing = "jwt_time_is_missing"
        case jwtIsFromTheFuture = "jwt_is_from_the_future"
        case jwtIsTooOld = "jwt_is_too_old"
        case jwtKeyIsOfOtherEnvironment = "jwt_key_is_of_other_environment"
        case jwtKeyIsUnrelated = "jwt_key_is_unrelated"
        case jwtWasRenewedTooSoon = "jwt_was_renewed_too_soon"
        case topicIsMissing = "topic_is_missing"
        case topicIsMalformed = "topic_is_malformed"
        case topicLacksSuffix = "topic_lacks_suffix"
        case topicIsNotAllowed = "topic_is_not_allowed"
        case topicIsNotOfKey = "topic_is_not_of_key"
        case pushTypeIsUnknown = "push_type_is_unknown"
        case priorityIsUnknown = "priority_is_unknown"
        case priorityIsNotForBackground = "priority_is_not_for_background"
        case expirationIsMalformed = "expiration_is_malformed"
        case idIsMalformed = "id_is_malformed"
        case collapseIDIsTooLong = "collapse_id_is_too_long"
        case collapseIDIsEmpty = "collapse_id_is_empty"
        case payloadIsEmpty = "payload_is_empty"
        case payloadIsTooLarge = "payload_is_too_large"
        case payloadIsNoJSONObject = "payload_is_no_json_object"
        case apsIsNoObject = "aps_is_no_object"
        case backgroundShowsSomething = "background_shows_something"
        case backgroundLacksContentAvailable = "background_lacks_content_available"
        case alertShowsNothing = "alert_shows_nothing"
    }
}

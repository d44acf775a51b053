internal import ReveilleJSON
internal import ReveilleNetwork

/// Google's answers that a script can name: each row of the table of errors, in each form that was seen of it.
package enum GoogleReason: String, Sendable, CaseIterable {
    case unspecified = "UNSPECIFIED_ERROR"
    case invalidArgument = "INVALID_ARGUMENT"
    case invalidToken = "INVALID_TOKEN"
    case invalidField = "INVALID_FIELD"
    case unregistered = "UNREGISTERED"
    case unregisteredAsInvalid = "UNREGISTERED_AS_INVALID"
    case senderIDMismatch = "SENDER_ID_MISMATCH"
    case quotaExceeded = "QUOTA_EXCEEDED"
    case deviceQuota = "DEVICE_QUOTA"
    case topicQuota = "TOPIC_QUOTA"
    case projectQuota = "PROJECT_QUOTA"
    case unavailable = "UNAVAILABLE"
    case `internal` = "INTERNAL"
    case thirdPartyAuthError = "THIRD_PARTY_AUTH_ERROR"
    case apnsAuthError = "APNS_AUTH_ERROR"
    case unauthenticated = "UNAUTHENTICATED"
    case permissionDenied = "PERMISSION_DENIED"
    case serviceDisabled = "SERVICE_DISABLED"
    case projectNotFound = "PROJECT_NOT_FOUND"
    case badGateway = "HTML_BAD_GATEWAY"
    case notFoundPage = "HTML_NOT_FOUND"
    case invalidGrant = "invalid_grant"
    case accountNotFound = "account_not_found"
    case failedAudience = "failed_audience_check"
    case clockSkew = "clock_skew"
    case invalidScope = "invalid_scope"
    case temporarilyUnavailable = "temporarily_unavailable"

    /// The answer; another status may be forced on it.
    func response(status: Int?) -> HTTPResponse {
        var response: HTTPResponse
        switch self {
        case .badGateway: response = Self.page(502, "Error 502 (Server Error)!!1")
        case .notFoundPage: response = Self.page(404, "Error 404 (Not Found)!!1")
        case .invalidGrant: response = Self.oauth("invalid_grant", "Invalid JWT Signature.")
        case .accountNotFound: response = Self.oauth("invalid_grant", "Invalid grant: account not found")
        case .failedAudience: response = Self.oauth("invalid_grant", "Failed audience check")
        case .clockSkew:
            response = Self.oauth(
                "invalid_grant",
                "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.")
        case .invalidScope: response = Self.oauth("invalid_scope", "Invalid OAuth scope or ID token audience provided.")
        case .temporarilyUnavailable: response = Self.oauth("temporarily_unavailable", "Try again.", status: 503)
        case .unspecified, .invalidArgument, .invalidToken, .invalidField, .unregistered, .unregisteredAsInvalid,
            .senderIDMismatch, .quotaExceeded, .deviceQuota, .topicQuota, .projectQuota, .unavailable, .internal,
            .thirdPartyAuthError, .apnsAuthError, .unauthenticated, .permissionDenied, .serviceDisabled,
            .projectNotFound:
            response = error.response
        }
        if let status { response.status = status }
        return response
    }

    private static func oauth(_ error: String, _ description: String, status: Int = 400) -> HTTPResponse {
        .json(status, ["error": .string(error), "error_description": .string(description)])
    }

    /// What Google's front end says when it does not reach the API.
    private static func page(_ status: Int, _ title: String) -> HTTPResponse {
        let text = "<!DOCTYPE html><html lang=en><meta charset=utf-8><title>\(title)</title><p><b>\(status).</b></html>"
        return HTTPResponse(
            status: status, fields: ["content-type": "text/html; charset=UTF-8"], body: .bytes(Array(text.utf8)))
    }

    private static func info(_ reason: String, _ metadata: JSONObject = [:]) -> JSONObject {
        [
            "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": .string(reason), "domain": "googleapis.com",
            "metadata": .object(metadata),
        ]
    }

    private var error: GoogleError {
        let invalid = "INVALID_ARGUMENT"
        func exhausted(_ message: String, _ code: String?, _ details: [JSONObject] = []) -> GoogleError {
            GoogleError(429, "RESOURCE_EXHAUSTED", message, fcm: code, details: details, rule: rawValue)
        }
        switch self {
        case .unspecified: return GoogleError(500, "UNKNOWN", "Unknown error.", fcm: rawValue, rule: rawValue)
        case .invalidArgument:
            return GoogleError(400, invalid, "Request contains an invalid argument.", fcm: rawValue, rule: rawValue)
        case .invalidToken: return .invalidToken()
        case .invalidField: return .invalidField("message.android.ttl", "Invalid value", rule: rawValue)
        case .unregistered: return .unregistered
        case .unregisteredAsInvalid:
            return GoogleError(
                400, invalid, "Request contains an invalid argument.", fcm: "UNREGISTERED", rule: rawValue)
        case .senderIDMismatch: return .senderIDMismatch
        case .quotaExceeded: return exhausted("Quota exceeded.", rawValue)
        case .deviceQuota: return .deviceQuota
        case .topicQuota:
            return exhausted(
                "Topic quota exceeded.", "QUOTA_EXCEEDED",
                [
                    [
                        "@type": "type.googleapis.com/google.rpc.QuotaFailure",
                        "violations": [["subject": "topic", "description": "Topic quota exceeded."]],
                    ]
                ])
        case .projectQuota:
            return exhausted(
                "Quota exceeded for quota metric 'Send requests' and limit 'Send requests per minute'.", nil,
                [
                    Self.info(
                        "RATE_LIMIT_EXCEEDED",
                        ["quota_limit": "SendsPerMinutePerProject", "service": "fcm.googleapis.com"]),
                    ["@type": "type.googleapis.com/google.rpc.Help", "links": []],
                ])
        case .unavailable:
            return GoogleError(503, rawValue, "The service is currently unavailable.", fcm: rawValue, rule: rawValue)
        case .internal:
            return GoogleError(500, rawValue, "Internal error encountered.", fcm: rawValue, rule: rawValue)
        case .thirdPartyAuthError, .apnsAuthError:
            return GoogleError(
                401, "UNAUTHENTICATED", "Auth error from APNS or Web Push Service", fcm: rawValue, rule: rawValue)
        case .permissionDenied: return .permissionDenied
        case .serviceDisabled:
            return GoogleError(
                403, "PERMISSION_DENIED",
                "Firebase Cloud Messaging API has not been used in project before or it is disabled.",
                details: [Self.info(rawValue, ["service": "fcm.googleapis.com"])], rule: rawValue)
        case .projectNotFound: return .projectNotFound
        case .unauthenticated, .badGateway, .notFoundPage, .invalidGrant, .accountNotFound, .failedAudience, .clockSkew,
            .invalidScope, .temporarilyUnavailable:
            return .unauthenticated
        }
    }
}

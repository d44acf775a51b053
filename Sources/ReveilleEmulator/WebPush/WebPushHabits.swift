internal import ReveilleJSON
internal import ReveilleNetwork

/// Whose push service is emulated: all follow the RFCs and differ in what they say when something is wrong.
package enum WebPushHabits: String, Sendable, CaseIterable {
    /// The RFCs, with short texts.
    case rfc
    /// Mozilla's autopush: JSON with `errno`; 401 for every VAPID fault; 410 for what is gone.
    case mozilla
    /// Google's FCM for browsers: texts; 400 for what is too large.
    case google
    /// Apple: JSON with `reason`, and `apns-id`.
    case apple
    /// Microsoft's WNS: no body, the reason in fields; TTL 0 needs a cache policy.
    case microsoft

    /// The status of a refusal.
    func status(of refusal: WebPushRefusal) -> Int {
        switch refusal {
        case .method: return 405
        case .unknownSubscription: return 404
        case .goneSubscription: return 410
        case .tooLarge: return self == .google ? 400 : 413
        case .ttlMissing, .ttlMalformed, .urgency, .topic, .encoding, .body, .keyUsedTwice: return 400
        case .vapidMissing: return self == .apple ? 403 : 401
        case .vapidMalformed, .vapidAudience, .vapidExpiry, .vapidSubject, .vapidKey:
            return self == .mozilla || self == .microsoft ? 401 : 403
        }
    }

    /// The answer to a push that breaks a rule.
    func response(to refusal: WebPushRefusal) -> HTTPResponse {
        let status = status(of: refusal)
        var response: HTTPResponse
        switch self {
        case .rfc: response = .text(status, refusal.rawValue)
        case .google:
            let text = refusal.isVAPID ? "permission denied: invalid JWT provided\n" : "\(refusal.rawValue)\n"
            response = .text(status, text)
        case .mozilla:
            response = .json(
                status,
                [
                    "code": .integer(Int64(status)), "errno": .integer(Self.errorNumber(of: refusal)),
                    "error": .string(Self.title(of: status)), "message": .string(refusal.rawValue),
                ])
            if status == 410 { response.fields.set("cache-control", "max-age=86400") }
        case .apple: response = .json(status, ["reason": .string(Self.appleReason(of: refusal))])
        case .microsoft:
            response = HTTPResponse(status: status)
            if status != 401 {
                response.fields.set("x-wns-error-description", refusal.rawValue)
                response.fields.set("x-wns-status", "dropped")
            }
        }
        if status == 401 { response.fields.set("www-authenticate", "vapid") }
        return response
    }

    /// Mozilla's numbers (autopush, "Error Codes").
    private static func errorNumber(of refusal: WebPushRefusal) -> Int64 {
        switch refusal {
        case .unknownSubscription, .method: 102
        case .goneSubscription: 106
        case .tooLarge: 104
        case .encoding, .body, .keyUsedTwice: 110
        case .ttlMissing: 111
        case .ttlMalformed: 114
        case .topic: 113
        case .urgency: 999
        case .vapidMissing, .vapidMalformed, .vapidAudience, .vapidExpiry, .vapidSubject, .vapidKey: 109
        }
    }

    private static func title(of status: Int) -> String {
        switch status {
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 410: "Gone"
        case 413: "Payload Too Large"
        default: "Error"
        }
    }

    /// Apple's words ("Sending web push notifications in web apps and browsers").
    private static func appleReason(of refusal: WebPushRefusal) -> String {
        switch refusal {
        case .method: "MethodNotAllowed"
        case .unknownSubscription: "BadPath"
        case .goneSubscription: "Unregistered"
        case .tooLarge: "PayloadTooLarge"
        case .ttlMissing, .ttlMalformed: "BadTtl"
        case .urgency: "BadUrgency"
        case .topic: "BadWebPushTopic"
        case .encoding, .body, .keyUsedTwice: "BadWebPushRequest"
        case .vapidMissing: "BadAuthorizationHeader"
        case .vapidMalformed, .vapidAudience, .vapidExpiry, .vapidSubject: "BadJwtToken"
        case .vapidKey: "VapidPkHashMismatch"
        }
    }
}

extension HTTPResponse {
    /// A plain text.
    static func text(_ status: Int, _ text: String) -> HTTPResponse {
        HTTPResponse(status: status, fields: ["content-type": "text/plain"], body: .bytes(Array(text.utf8)))
    }
}

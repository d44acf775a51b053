import ReveilleInbox
import ReveilleJSON

extension Problem {
    /// The media type of problem details (RFC 9457 section 6.1).
    package static let mediaType = "application/problem+json"

    /// One or two sentences: what is wrong with which field, and what to do.
    package var detail: String {
        var text = ""
        if let field, let explanation {
            text += "`\(field)` \(explanation). "
        } else if let field {
            text += "At `\(field)`. "
        } else if let explanation {
            text += "The body \(explanation). "
        }
        if let offset { text += "At octet \(offset) of the body. " }
        return text + code.remedy.description
    }

    /// The answer that tells a caller.
    func answer(requestID: String) -> APIAnswer {
        var json = JSONWriter(reservingCapacity: 384)
        json.beginObject()
        json.member("type", code.typePath)
        json.member("title", code.title.description)
        json.key("status")
        json.integer(code.status)
        json.member("detail", detail)
        json.member("code", code.rawValue)
        if let field { json.member("field", field) }
        if let cause { json.member("cause", cause.rawValue) }
        json.member("request_id", requestID)
        json.endObject()
        var answer = APIAnswer(status: code.status, mediaType: Self.mediaType, body: json.bytes)
        if let retryAfterSeconds { answer.add("retry-after", String(retryAfterSeconds)) }
        if let allow { answer.add("allow", allow) }
        if let challenge { answer.add("www-authenticate", challenge) }
        return answer
    }

    /// What a 401 or a lack of scope must name (RFC 6750 section 3).
    private var challenge: String? {
        switch code {
        case .missingCredential: return "Bearer realm=\"reveille\""
        case .invalidCredential, .expiredCredential:
            return "Bearer realm=\"reveille\", error=\"invalid_token\""
        case .missingScope:
            guard let scope else { return nil }
            return "Bearer realm=\"reveille\", error=\"insufficient_scope\", scope=\"\(scope.rawValue)\""
        default: return nil
        }
    }
}

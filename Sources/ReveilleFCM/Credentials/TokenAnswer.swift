package import ReveilleBytes
internal import ReveilleJSON

/// What the token endpoint answered.
package enum TokenAnswer: Sendable {
    /// A token, and its life in seconds.
    case token(SecretText, lifeSeconds: Int64)
    /// Asking again later may help.
    case later(FCMReason)
    /// An operator must act: a deleted key or account, a wrong clock.
    case refused(FCMReason)

    /// The longest token that is taken; Google's are little over a thousand characters.
    static let maximumTokenOctets = 8_192
    /// A life outside of this is not believed.
    static let believedLife: ClosedRange<Int64> = 1...86_400
    private static let limits = JSONLimits(maximumBytes: 16_384, maximumDepth: 8, maximumElements: 64)

    /// Reads an answer.
    package init(status: Int, body: UnsafeRawBufferPointer) {
        let object = (try? JSONReader.parse(body, limits: Self.limits))?.object
        switch status {
        case 200:
            guard let object, let token = object["access_token"]?.string, Self.isToken(token),
                object["token_type"]?.string.map({ $0.utf8.elementsEqual("Bearer".utf8) || $0 == "bearer" }) ?? true
            else {
                self = .refused(.notGoogle)
                return
            }
            let life = object["expires_in"]?.integer ?? 3_600
            self =
                Self.believedLife.contains(life) ? .token(SecretText(token), lifeSeconds: life) : .refused(.notGoogle)
        case 408, 429, 500...599: self = .later(.tokenEndpointBusy)
        case 400, 401, 403:
            switch object?["error"]?.string {
            case "invalid_grant"?: self = .refused(.invalidGrant)
            case "invalid_scope"?: self = .refused(.invalidScope)
            case "invalid_request"?, "invalid_client"?, "unauthorized_client"?, "access_denied"?,
                "unsupported_grant_type"?:
                self = .refused(.refusedGrant)
            default: self = .refused(.notGoogle)
            }
        default: self = .refused(.notGoogle)
        }
    }

    /// A token travels in a header: visible ASCII without blanks.
    private static func isToken(_ text: String) -> Bool {
        (1...maximumTokenOctets).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}

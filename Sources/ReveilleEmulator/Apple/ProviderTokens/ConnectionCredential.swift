internal import Glibc

/// The provider tokens that one connection has used: one key or related ones, and renewed no more often than Apple allows.
struct ConnectionCredential {
    /// Seconds that must lie between the issues of two tokens ("no more than once every 20 minutes").
    static let minimumRenewalInterval: Int64 = 20 * 60
    /// How many tokens are remembered: requests queued with the one before may follow the first with a new one.
    static let maximumRemembered = 4

    private var used: [ProviderToken] = []
    private var lastText: [UInt8] = []
    private var lastToken: ProviderToken?

    /// Whether a valid token was seen, so that more than one stream is allowed.
    private(set) var isAuthenticated = false
    /// How many different tokens were used.
    private(set) var tokenCount = 0

    /// The token of the field that came with the request before, if `authorization` is the same text.
    func remembered(for authorization: UnsafeRawBufferPointer) -> ProviderToken? {
        guard authorization.count == lastText.count, let start = authorization.baseAddress,
            lastText.withUnsafeBytes({ memcmp(start, $0.baseAddress ?? start, $0.count) == 0 })
        else { return nil }
        return lastToken
    }

    /// Takes note of a valid token and of the text that spelled it.
    ///
    /// Tokens with the same claims are one token, whatever their signatures.
    mutating func admit(_ token: ProviderToken, text: [UInt8]) throws(AppleRefusal) {
        try admit(token)
        lastText = text
        lastToken = token
        isAuthenticated = true
    }

    private mutating func admit(_ token: ProviderToken) throws(AppleRefusal) {
        if used.contains(where: { $0.identity == token.identity }) { return }
        if let newest = used.last, token.isChecked {
            guard token.isRelated(to: newest) else {
                throw AppleRefusal(.unrelatedKeyIDInToken, .jwtKeyIsUnrelated)
            }
            let sameKey = token.identity.keyID == newest.identity.keyID
            let interval = token.identity.issuedAt - newest.identity.issuedAt
            if sameKey, abs(interval) < Self.minimumRenewalInterval {
                throw AppleRefusal(.tooManyProviderTokenUpdates, .jwtWasRenewedTooSoon)
            }
        }
        if used.count == Self.maximumRemembered { used.removeFirst() }
        used.append(token)
        tokenCount += 1
    }

    /// Forgets the text, so that the next request is verified anew.
    mutating func forgetText() {
        lastText = []
        lastToken = nil
    }
}

internal import ReveilleBytes
internal import ReveilleCrypto
internal import ReveilleJSON
internal import ReveilleNetwork
internal import ReveilleRuntime

/// Google's OAuth 2.0 token endpoint: a signed assertion in, an opaque access token out (RFC 7523; "Using OAuth 2.0 for Server to
/// Server Applications").
struct OAuthTokenEndpoint {
    /// Why no token is given, as the rule's word and as Google says it.
    struct Refusal: Error {
        var status = 400
        let error: String
        let description: String
        let rule: String

        init(_ error: String, _ description: String, rule: String, status: Int = 400) {
            self.error = error
            self.description = description
            self.rule = rule
            self.status = status
        }

        var response: HTTPResponse {
            .json(status, ["error": .string(error), "error_description": .string(description)])
        }
    }

    /// An access token that was given.
    struct Grant {
        let account: GoogleServiceAccount
        let expires: WallInstant
    }

    static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    /// Scopes that let a token send messages.
    static let sendingScopes: Set<String> = [
        "https://www.googleapis.com/auth/firebase.messaging", "https://www.googleapis.com/auth/cloud-platform",
    ]
    /// The longest time between issue and expiry of an assertion, in seconds.
    static let longestLifetime: Int64 = 3600
    /// Seconds that the sender's clock may be off; Google gives no number.
    static let allowedClockSkew: Int64 = 60
    /// How many tokens are remembered; beyond it the expired ones go, then all.
    static let maximumGrants = 10_000

    private(set) var accounts: [String: GoogleServiceAccount]
    private var grants: [String: Grant] = [:]
    private let lifetime: Int64
    private let random: any RandomSource

    init(accounts: [GoogleServiceAccount], lifetimeSeconds: Int64, random: any RandomSource) {
        self.accounts = Dictionary(accounts.map { ($0.clientEmail, $0) }) { _, last in last }
        lifetime = lifetimeSeconds
        self.random = random
    }

    /// Takes an account in, or replaces the one with its address.
    mutating func add(_ account: GoogleServiceAccount) { accounts[account.clientEmail] = account }

    /// Deletes an account, and with it its tokens; false when there is none.
    mutating func remove(_ clientEmail: String) -> Bool {
        grants = grants.filter { $0.value.account.clientEmail != clientEmail }
        return accounts.removeValue(forKey: clientEmail) != nil
    }

    /// Forgets every token that was given: 401 from now on.
    mutating func revokeAll() { grants.removeAll() }

    /// The account that an access token stands for; nil when it is unknown or has expired.
    func account(bearing token: String, at now: WallInstant) -> GoogleServiceAccount? {
        guard let grant = grants[token], now < grant.expires else { return nil }
        return accounts[grant.account.clientEmail]
    }

    /// Answers a request for a token.
    ///
    /// `audiences` are the addresses under which the endpoint was reached.
    mutating func respond(
        to request: HTTPRequest, audiences: Set<String>, at now: WallInstant
    ) throws(Refusal) -> HTTPResponse {
        let account = try account(asking: request, audiences: audiences, at: now)
        if grants.count >= Self.maximumGrants {
            grants = grants.filter { now < $0.value.expires }
            if grants.count >= Self.maximumGrants { grants.removeAll() }
        }
        let token = "ya29.emulated." + Base64URL.encode(random.bytes(96))
        grants[token] = Grant(account: account, expires: now.adding(.seconds(lifetime)))
        return .json(
            200,
            ["access_token": .string(token), "expires_in": .integer(lifetime), "token_type": "Bearer"])
    }

    private func account(
        asking request: HTTPRequest, audiences: Set<String>, at now: WallInstant
    ) throws(Refusal) -> GoogleServiceAccount {
        guard request.method == "POST" else {
            throw Refusal("invalid_request", "Method must be POST.", rule: "token_method", status: 405)
        }
        let type = request.fields["content-type"]?.lowercased() ?? ""
        guard type.hasPrefix("application/x-www-form-urlencoded") else {
            throw Refusal("invalid_request", "Content type must be a form.", rule: "token_content_type")
        }
        let form = HTTPRequest(
            method: "POST", target: "/?" + String(decoding: request.body, as: UTF8.self), peer: request.peer
        ).query
        func value(_ name: String) -> String? {
            let values = form.filter { $0.name == name }
            return values.count == 1 ? values[0].value : nil
        }
        guard value("grant_type") == Self.grantType else {
            throw Refusal("unsupported_grant_type", "Invalid grant_type.", rule: "token_grant_type")
        }
        guard let assertion = value("assertion") else {
            throw Refusal("invalid_request", "Missing required parameter: assertion", rule: "token_assertion_missing")
        }
        return try account(asserting: assertion, audiences: audiences, at: now)
    }

    private func account(
        asserting assertion: String, audiences: Set<String>, at now: WallInstant
    ) throws(Refusal) -> GoogleServiceAccount {
        let parts = assertion.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let octets = Base64URL.decode(parts[1]), let claims = try? JSONReader.parse(octets),
            let issuer = claims["iss"]?.string
        else { throw Refusal("invalid_grant", "Bad Request", rule: "assertion_malformed") }
        guard let account = accounts[issuer] else {
            throw Refusal("invalid_grant", "Invalid grant: account not found", rule: "account_unknown")
        }
        do throws(JWTError) {
            _ = try JWT.verifyRS256(assertion) { kid in
                kid == nil || kid == account.keyID ? account.publicKey : nil
            }
        } catch {
            throw Refusal("invalid_grant", "Invalid JWT Signature.", rule: "assertion_signature")
        }
        guard let audience = claims["aud"]?.string, audiences.contains(audience) else {
            throw Refusal("invalid_grant", "Failed audience check", rule: "assertion_audience")
        }
        let timeframe = """
            Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp \
            values in the JWT claim.
            """
        guard let issued = claims["iat"]?.integer, let expires = claims["exp"]?.integer, expires > issued,
            expires.subtractingReportingOverflow(issued).partialValue <= Self.longestLifetime,
            issued <= now.seconds + Self.allowedClockSkew, expires > now.seconds - Self.allowedClockSkew
        else { throw Refusal("invalid_grant", timeframe, rule: "assertion_time") }
        let scopes = claims["scope"]?.string?.split(separator: " ").map(String.init) ?? []
        guard !scopes.isEmpty, scopes.allSatisfy({ $0.hasPrefix("https://www.googleapis.com/auth/") }) else {
            throw Refusal(
                "invalid_scope", "Invalid OAuth scope or ID token audience provided.", rule: "assertion_scope")
        }
        guard scopes.contains(where: Self.sendingScopes.contains) else {
            throw Refusal("invalid_scope", "The scope does not let messages be sent.", rule: "assertion_scope")
        }
        return account
    }
}

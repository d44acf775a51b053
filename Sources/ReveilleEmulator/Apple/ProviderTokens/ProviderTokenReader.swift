internal import ReveilleBytes
internal import ReveilleCrypto
internal import ReveilleJSON

/// Verifies the `authorization` field once for each text and remembers the result.
///
/// Bounded: a sender that signs for each request fills the memory with texts, so it is emptied when full.
final class ProviderTokenReader {
    /// How many different texts are remembered.
    static let maximumRemembered = 4096

    private static let scheme = Array("bearer ".utf8)
    /// Team and key IDs have ten characters ("Establishing a token-based connection to APNs").
    private static let identifierLength = 10

    private var accepted: AcceptedProviderTokens
    private var known: [[UInt8]: Result<ProviderToken, AppleRefusal>] = [:]
    /// How many different texts were verified.
    ///
    /// One that comes back after it was forgotten counts again.
    private(set) var textCount = 0

    init(accepting accepted: AcceptedProviderTokens) {
        self.accepted = accepted
    }

    /// Changes which tokens are good; what was verified before counts no more.
    func accept(_ accepted: AcceptedProviderTokens) {
        self.accepted = accepted
        known.removeAll()
    }

    /// Counts from 0 again.
    func resetCount() {
        textCount = 0
    }

    /// The token of an `authorization` field.
    ///
    /// Age, environment and connection are not looked at.
    func token(in authorization: [UInt8]) throws(AppleRefusal) -> ProviderToken {
        if let result = known[authorization] { return try result.get() }
        let result = Result { () throws(AppleRefusal) in try verify(authorization) }
        if known.count >= Self.maximumRemembered { known.removeAll(keepingCapacity: true) }
        known[authorization] = result
        textCount += 1
        return try result.get()
    }

    private func verify(_ authorization: [UInt8]) throws(AppleRefusal) -> ProviderToken {
        let scheme = authorization.prefix(Self.scheme.count).map(FieldText.lowerCased)
        guard scheme == Self.scheme else {
            throw AppleRefusal(.invalidProviderToken, .authorizationIsNotBearer)
        }
        let text = String(decoding: authorization.dropFirst(Self.scheme.count), as: UTF8.self)
        switch accepted {
        case .signedBy(let keys): return try verify(text, keys: keys)
        case .anyKey: return try inspect(text)
        case .unchecked:
            let identity = ProviderToken.Identity(keyID: "", teamID: "", issuedAt: 0)
            return ProviderToken(
                identity: identity, environments: nil, topics: nil, family: nil, isChecked: false)
        }
    }

    private func verify(_ text: String, keys: [AppleKey]) throws(AppleRefusal) -> ProviderToken {
        var key: AppleKey?
        let claims: JSONValue
        do throws(JWTError) {
            claims = try JWT.verifyES256(text) { keyID in
                key = keys.first { $0.keyID == keyID }
                return key?.publicKey
            }.claims
        } catch {
            throw AppleRefusal(.invalidProviderToken, Self.detail(of: error))
        }
        guard let key else { throw AppleRefusal(.invalidProviderToken, .jwtKeyIsUnknown) }
        guard claims["iss"] == .string(key.teamID) else {
            throw AppleRefusal(.invalidProviderToken, .jwtIssuerIsWrong)
        }
        let identity = ProviderToken.Identity(
            keyID: key.keyID, teamID: key.teamID, issuedAt: try Self.issueTime(in: claims))
        return ProviderToken(
            identity: identity, environments: key.environments, topics: key.topics,
            family: key.family, isChecked: true)
    }

    private static func detail(of error: JWTError) -> AppleRefusal.Detail {
        switch error.code {
        case .tooLong, .malformed, .invalidJSON, .unsupportedHeader: .jwtIsMalformed
        case .unexpectedAlgorithm: .jwtAlgorithmIsWrong
        case .unknownKey: .jwtKeyIsUnknown
        case .invalidSignature: .jwtSignatureIsWrong
        }
    }

    private static func issueTime(in claims: JSONValue) throws(AppleRefusal) -> Int64 {
        guard let seconds = claims["iat"]?.integer, (0...AppleRules.latestExpiration).contains(seconds)
        else { throw AppleRefusal(.invalidProviderToken, .jwtTimeIsMissing) }
        return seconds
    }

    /// Everything about a token but its signature.
    private func inspect(_ text: String) throws(AppleRefusal) -> ProviderToken {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.object(parts[0]),
            let claims = Self.object(parts[1]), Base64URL.decode(parts[2])?.count == 64
        else { throw AppleRefusal(.invalidProviderToken, .jwtIsMalformed) }
        guard header["alg"] == .string("ES256") else {
            throw AppleRefusal(.invalidProviderToken, .jwtAlgorithmIsWrong)
        }
        guard let keyID = header["kid"]?.string, keyID.utf8.count == Self.identifierLength else {
            throw AppleRefusal(.invalidProviderToken, .jwtKeyIsUnknown)
        }
        guard let teamID = claims["iss"]?.string, teamID.utf8.count == Self.identifierLength else {
            throw AppleRefusal(.invalidProviderToken, .jwtIssuerIsWrong)
        }
        let identity = ProviderToken.Identity(
            keyID: keyID, teamID: teamID, issuedAt: try Self.issueTime(in: claims))
        return ProviderToken(
            identity: identity, environments: nil, topics: nil, family: nil, isChecked: true)
    }

    private static func object(_ part: Substring) -> JSONValue? {
        guard let bytes = Base64URL.decode(part), let value = try? JSONReader.parse(bytes),
            case .object = value
        else { return nil }
        return value
    }
}

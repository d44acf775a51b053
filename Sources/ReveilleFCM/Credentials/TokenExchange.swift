package import ReveilleNetwork
internal import ReveilleRuntime

/// Sends one request to the origin that it is made for, and waits for the answer: a client's `send`.
///
/// It ends by itself, as clients do after their deadline.
package typealias TokenExchange = @Sendable (ClientRequest) async throws(ClientError) -> ClientResponse

extension ServiceAccount {
    /// Where ``tokenURL`` leads, and the path there; nil when it is no URL that can be asked.
    package var tokenPlace: (origin: HTTPOrigin, path: String)? {
        guard let scheme = tokenURL.firstRange(of: "://") else { return nil }
        let slash = tokenURL[scheme.upperBound...].firstIndex(of: "/") ?? tokenURL.endIndex
        guard let origin = HTTPOrigin(parsing: String(tokenURL[..<slash])) else { return nil }
        let path = slash == tokenURL.endIndex ? "/" : String(tokenURL[slash...])
        return (origin, path)
    }
}

extension TokenGrant {
    /// Asks for an access token once; never fails, because an answer that did not come is one, too.
    static func ask(_ account: ServiceAccount, through exchange: TokenExchange, now: WallInstant) async -> TokenAnswer {
        guard let place = account.tokenPlace else { return .refused(.notGoogle) }
        let request = ClientRequest(
            method: "POST", path: place.path, fields: [("content-type", contentType)], body: body(account, now: now))
        do throws(ClientError) {
            let response = try await exchange(request)
            return response.body.withUnsafeBytes { TokenAnswer(status: response.status, body: $0) }
        } catch {
            return .later(error.code == .nameNotFound ? .tokenEndpointNotFound : .tokenEndpointUnreachable)
        }
    }
}

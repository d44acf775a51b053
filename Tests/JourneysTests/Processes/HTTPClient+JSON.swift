import ReveilleJSON
import ReveilleNetwork
import ReveilleRuntime

extension HTTPClient {
    /// A client of `http://host:port`, for many requests at once.
    static func plain(_ url: String, loop: EventLoop) throws -> HTTPClient {
        guard let origin = HTTPOrigin(parsing: url), !origin.isSecure else {
            throw ProgramProcess.Failure(description: "'\(url)' is no address of plain HTTP")
        }
        return HTTPClient(origin: origin, cleartext: .http2, loop: loop, resolver: NoNames())
    }

    /// Sends JSON and reads JSON; null stands for a body that is none.
    func call(
        _ method: String, _ path: String, token: String? = nil, body: JSONValue? = nil,
        fields: [(name: String, value: String)] = []
    ) async throws(ClientError) -> (status: Int, json: JSONValue) {
        var all = fields
        if let token { all.append((name: "authorization", value: "Bearer \(token)")) }
        if body != nil { all.append((name: "content-type", value: "application/json")) }
        let response = try await send(
            ClientRequest(method: method, path: path, fields: all, body: body?.encoded() ?? []))
        return (response.status, (try? JSONReader.parse(response.body)) ?? .null)
    }
}

/// The resolver of clients that know addresses only, without the threads of one that asks.
private struct NoNames: Resolver {
    func resolve(_ host: String, port: UInt16) async throws -> [SocketAddress] {
        if let address = SocketAddress(host: host, port: port) { return [address] }
        throw ProgramProcess.Failure(description: "'\(host)' is a name, not an address")
    }
}

/// A request of a client that is not on the hot path: a command, a token exchange, a diagnosis.
package struct ClientRequest: Sendable {
    package var method: String
    /// The target in origin form, such as `/api/v1/notifications`.
    package var path: String
    /// Names are sent in lower case; fields that belong to a connection of HTTP/1.1 are left out.
    package var fields: [(name: String, value: String)]
    /// Names among `fields` whose values must not enter header compression: credentials.
    package var sensitive: Set<String>
    package var body: [UInt8]

    /// Describes a request.
    package init(
        method: String, path: String, fields: [(name: String, value: String)] = [],
        sensitive: Set<String> = ["authorization"], body: [UInt8] = []
    ) {
        self.method = method
        self.path = path
        self.fields = fields
        self.sensitive = sensitive
        self.body = body
    }
}

/// The answer to a ``ClientRequest``.
package struct ClientResponse: Sendable {
    package let status: Int
    /// The first octets of the body, as many as the client's limits keep.
    package let body: [UInt8]

    /// Describes an answer.
    package init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }
}

/// Why a request of a client brought no answer.
package struct ClientError: Error, Hashable, Sendable {
    /// The kind of trouble; the raw value is a stable word.
    package enum Code: String, CaseIterable, Sendable {
        /// The name has no address.
        case nameNotFound = "client_name_not_found"
        /// Nobody answers at the address.
        case notConnected = "client_not_connected"
        /// The certificate is not trusted, or TLS failed otherwise.
        case tlsFailed = "client_tls_failed"
        /// The server chose a protocol that this client does not speak.
        case noCommonProtocol = "client_no_common_protocol"
        /// The request has a fault; see ``ClientRequest/fault``. Nothing was sent.
        case requestMalformed = "client_request_malformed"
        /// The answer is not proper HTTP, or larger than the client reads.
        case answerMalformed = "client_answer_malformed"
        /// The connection ended before the answer.
        case connectionLost = "client_connection_lost"
        /// The server reset the request.
        case reset = "client_request_reset"
        /// The answer took too long.
        case timedOut = "client_timed_out"
        /// Too many requests wait already.
        case overloaded = "client_overloaded"
        /// The client was closed.
        case closed = "client_closed"
    }

    package let code: Code
    /// False when it is certain that the server processed nothing.
    package let mayHaveLeft: Bool

    /// Describes trouble.
    package init(_ code: Code, mayHaveLeft: Bool) {
        self.code = code
        self.mayHaveLeft = mayHaveLeft
    }
}

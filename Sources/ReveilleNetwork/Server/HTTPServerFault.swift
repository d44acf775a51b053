/// Why the server itself refuses a request, beside what its readers find.
package enum HTTPServerFault: String, Sendable, CaseIterable {
    /// The request did not become complete in time.
    case requestTimeout = "request_timeout"
    /// The method is no standard one, or one that no resource here has.
    case methodNotImplemented = "method_not_implemented"
    /// There are as many connections as the server takes.
    case serverFull = "server_full"
    /// The path of an HTTP/2 request is not legal.
    case targetMalformed = "target_malformed"
    /// The authority of an HTTP/2 request is no host and port.
    case hostMalformed = "host_malformed"
    /// An Expect other than `100-continue`.
    case expectationUnsupported = "expectation_unsupported"
    /// The request cannot change the protocol: it did not ask for this one, or came by HTTP/2.
    case upgradeImpossible = "upgrade_impossible"
    /// The handler gave an answer that is none.
    case handlerFailed = "internal_error"

    /// The status of the answer.
    package var status: Int {
        switch self {
        case .requestTimeout: 408
        case .methodNotImplemented: 501
        case .serverFull: 503
        case .targetMalformed, .hostMalformed, .upgradeImpossible: 400
        case .expectationUnsupported: 417
        case .handlerFailed: 500
        }
    }
}

/// The methods that reach a handler.
enum HTTPMethods {
    /// Whether a method is one of RFC 9110 and RFC 5789 that a resource may have.
    ///
    /// CONNECT and TRACE are not: this is no proxy, and an echo of a request shows its credentials.
    static func isImplemented(_ method: String) -> Bool {
        switch method {
        case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS": true
        default: false
        }
    }
}

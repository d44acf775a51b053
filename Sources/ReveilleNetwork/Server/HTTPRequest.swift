/// The protocol a request came by.
package enum HTTPVersion: Sendable, Equatable {
    case http10
    case http11
    case http2
}

/// A complete request.
///
/// It may hold credentials and content, therefore it describes itself by its method only.
package struct HTTPRequest: Sendable {
    /// The method as sent; methods are case-sensitive.
    package let method: String
    /// Path and query in origin form as sent, or `*`.
    package let target: String
    /// The path as sent, without the query, still percent-encoded: what a router matches.
    package let path: String
    /// The fields.
    package let fields: HTTPFields
    /// The whole body.
    package let body: [UInt8]
    /// Where the connection comes from.
    package let peer: SocketAddress
    /// Whether the connection is encrypted by this server.
    package let isSecure: Bool
    /// The protocol.
    package let version: HTTPVersion

    /// Describes a request.
    package init(
        method: String, target: String, fields: HTTPFields = HTTPFields(), body: [UInt8] = [],
        peer: SocketAddress, isSecure: Bool = false, version: HTTPVersion = .http11
    ) {
        self.method = method
        self.target = target
        if let mark = target.utf8.firstIndex(of: 0x3F) {
            path = String(target[..<mark])
        } else {
            path = target
        }
        self.fields = fields
        self.body = body
        self.peer = peer
        self.isSecure = isSecure
        self.version = version
    }

    /// The names and values of the query in order, decoded at each call.
    ///
    /// An item without `=` has an empty value.
    package var query: [(name: String, value: String)] {
        guard path.utf8.count < target.utf8.count else { return [] }
        let text = target[target.utf8.index(target.startIndex, offsetBy: path.utf8.count + 1)...]
        return text.split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (
                PercentEncoding.decodeQuery(parts[0]),
                parts.count > 1 ? PercentEncoding.decodeQuery(parts[1]) : ""
            )
        }
    }
}

extension HTTPRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A fixed text; never target, fields or body.
    package var description: String { "‹HTTP request›" }
    /// A fixed text; never target, fields or body.
    package var debugDescription: String { description }
    /// Shows nothing to reflection.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

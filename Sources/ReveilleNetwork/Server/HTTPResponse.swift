/// What a response carries.
package enum HTTPBody: Sendable, Equatable {
    /// Nothing.
    case empty
    /// A body that is known as a whole.
    case bytes([UInt8])

    /// The whole body.
    package var bytes: [UInt8] {
        switch self {
        case .empty: []
        case .bytes(let bytes): bytes
        }
    }
}

/// A complete response.
///
/// The server adds Date, Content-Length and what belongs to the connection, and leaves out such fields when they are
/// given. `connection: close` is understood as the wish to close.
package struct HTTPResponse: Sendable {
    /// From 200 to 599.
    package var status: Int
    /// The fields.
    package var fields: HTTPFields
    /// The body; the server leaves it out of an answer to HEAD.
    package var body: HTTPBody
    /// What becomes of the exchange and its connection.
    package var conclusion = HTTPConclusion.answer

    /// Describes a response.
    package init(status: Int, fields: HTTPFields = HTTPFields(), body: HTTPBody = .empty) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}

extension HTTPResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status; never fields or body.
    package var description: String { "‹HTTP response \(status)›" }
    /// The status; never fields or body.
    package var debugDescription: String { description }
    /// Shows nothing to reflection.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

internal import ReveilleJSON

/// A request to the control interface.
package struct ControlRequest: Sendable {
    /// The method.
    package let method: String
    /// The parts of the path.
    package let path: [String]
    /// Names and values of the query, in order.
    package let query: [(name: String, value: String)]
    /// The body.
    package let body: [UInt8]

    /// A request; `path` is as in the request line, without the query.
    package init(
        method: String, path: String, query: [(name: String, value: String)] = [], body: [UInt8] = []
    ) {
        self.method = method
        self.path = path.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
        self.query = query
        self.body = body
    }

    private static let limits = JSONLimits(maximumBytes: 1024 * 1024)

    /// The body as JSON; an empty one counts as `{}`.
    func json() throws(JSONFieldError) -> JSONValue {
        guard !body.isEmpty else { return [:] }
        do throws(JSONError) {
            return try JSONReader.parse(body, limits: Self.limits)
        } catch {
            throw JSONFieldError(.notAnObject, at: "", "must be JSON")
        }
    }

    /// The query as fields: whole numbers as such, everything else as text.
    func queryFields() throws(JSONFieldError) -> JSONFields {
        var members = JSONObject()
        for (name, value) in query {
            guard members[name] == nil else {
                throw JSONFieldError(.invalidValue, at: name, "is given more than once")
            }
            members[name] = Int64(value).map(JSONValue.integer) ?? .string(value)
        }
        return try JSONFields(.object(members))
    }

    /// How many entries a list holds when the request names no number, and at most.
    private static let defaultListLimit = 1000
    private static let maximumListLimit: Int64 = 10_000

    /// Which part of a list the query asks for.
    func page() throws(JSONFieldError) -> (after: UInt64, limit: Int) {
        var fields = try queryFields()
        let after = try fields.optionalInteger("after", in: 0...Int64.max)
        let limit = try fields.optionalInteger("limit", in: 1...Self.maximumListLimit)
        try fields.finish()
        return (after.map(UInt64.init) ?? 0, limit.map(Int.init) ?? Self.defaultListLimit)
    }

    /// Refuses a query where none has a meaning.
    func refuseQuery() throws(JSONFieldError) {
        try queryFields().finish()
    }
}

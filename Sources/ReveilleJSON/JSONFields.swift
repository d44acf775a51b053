/// Reads one JSON object strictly: every member must be asked for by name, in the right type and size, and ``finish()`` refuses
/// what nobody asked for.
package struct JSONFields {
    /// What a member is, where absence, null and a value mean three different things.
    package enum Presence: Sendable, Equatable {
        case absent
        case null
        case given(JSONValue)
    }

    private let object: JSONObject
    private let path: String
    private var known: [Bool]

    /// Fields of `value`, which stands at `path` in the whole body.
    ///
    /// - Throws: `notAnObject` when it is none.
    package init(_ value: JSONValue, at path: String = "") throws(JSONFieldError) {
        guard case .object(let object) = value else {
            throw JSONFieldError(.notAnObject, at: path, "must be a JSON object")
        }
        self.object = object
        self.path = path
        known = Array(repeating: false, count: object.count)
    }

    /// The path of the member `key`, for errors of the caller's own.
    package func path(of key: String) -> String {
        path.isEmpty ? key : "\(path).\(key)"
    }

    /// An error about the member `key`.
    package func error(
        _ code: JSONFieldError.Code, _ key: String, _ explanation: FieldExplanation
    ) -> JSONFieldError {
        JSONFieldError(code, at: path(of: key), explanation)
    }

    /// Refuses members that were not asked for.
    package func finish() throws(JSONFieldError) {
        guard let index = known.firstIndex(of: false) else { return }
        throw error(.unknownField, object.members[index].key, "is not a known field")
    }

    /// Whether the member is absent, null, or has a value.
    package mutating func presence(of key: String) -> Presence {
        guard let index = object.index(of: key) else { return .absent }
        known[index] = true
        let value = object.members[index].value
        return value.isNull ? .null : .given(value)
    }

    /// Marks the member as known and ignores it.
    package mutating func ignore(_ key: String) {
        _ = presence(of: key)
    }

    /// The value of a member that must be there and not null.
    package mutating func requiredValue(_ key: String) throws(JSONFieldError) -> JSONValue {
        guard let value = optionalValue(key) else {
            throw error(.missingField, key, "is required")
        }
        return value
    }

    /// The value of a member, nil when it is absent or null.
    package mutating func optionalValue(_ key: String) -> JSONValue? {
        switch presence(of: key) {
        case .absent, .null: nil
        case .given(let value): value
        }
    }
}

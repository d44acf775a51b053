import ReveilleBytes

/// A JSON value (RFC 8259), with whole numbers kept apart.
///
/// Two strings are equal when their octets are.
package enum JSONValue: Sendable {
    case null
    case boolean(Bool)
    /// A number that was written without fraction and exponent and fits 64 bits.
    case integer(Int64)
    /// Any other number, as it was written.
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

extension JSONValue: Equatable {
    package static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.boolean(let left), .boolean(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): ExactText.equal(left, right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        case (.null, _), (.boolean, _), (.integer, _), (.number, _), (.string, _), (.array, _), (.object, _): false
        }
    }
}

extension JSONValue {
    /// The text, when the value is a string.
    package var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The whole number, when the value is one.
    package var integer: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }

    /// The number, whole or not.
    package var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number.double
        case .null, .boolean, .string, .array, .object: nil
        }
    }

    /// The truth value, when the value is one.
    package var boolean: Bool? {
        if case .boolean(let truth) = self { truth } else { nil }
    }

    /// The elements, when the value is an array.
    package var array: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The object, when the value is one.
    package var object: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// Whether the value is null.
    package var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The member called `key`, when the value is an object that has it.
    package subscript(key: String) -> JSONValue? { object?[key] }

    /// The compact UTF-8 text of the value, as ``JSONWriter`` writes it.
    package func encoded() -> [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.bytes
    }
}

extension JSONValue {
    /// A number; null for infinity and what is not a number.
    package init(_ number: Double) {
        self = JSONNumber(number).map(JSONValue.number) ?? .null
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    /// A string.
    package init(stringLiteral text: String) { self = .string(text) }
    /// A whole number.
    package init(integerLiteral number: Int64) { self = .integer(number) }
    /// A number with a fraction.
    package init(floatLiteral number: Double) { self.init(number) }
    /// True or false.
    package init(booleanLiteral truth: Bool) { self = .boolean(truth) }
    /// An array.
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An object with the members in the order written.
    package init(dictionaryLiteral members: (String, JSONValue)...) {
        self = .object(JSONObject(members: members.map { (key: $0.0, value: $0.1) }))
    }
    /// Null.
    package init(nilLiteral: ()) { self = .null }
}

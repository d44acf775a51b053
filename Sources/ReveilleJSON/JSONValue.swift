/// A JSON value (RFC 8259), with whole numbers kept apart.
package enum JSONValue: Sendable, Equatable {
    case null
    case boolean(Bool)
    /// A number that was written without fraction and exponent and fits 64 bits.
    case integer(Int64)
    /// Any other number.
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
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
        case .number(let number): number
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
    package var isNull: Bool { self == .null }

    /// The member called `key`, when the value is an object that has it.
    package subscript(key: String) -> JSONValue? { object?[key] }

    /// The compact UTF-8 text of the value, as ``JSONWriter`` writes it.
    package func encoded() -> [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.bytes
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
    package init(floatLiteral number: Double) { self = .number(number) }
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

import ReportedCases
import ReveilleJSON
import Testing

/// A case file: an input and what must come of it.
struct CaseFile {
    let input: JSONObject
    let expected: JSONObject

    init(_ name: String) throws {
        let value = try JSONReader.parse(ReportedCase.octets(name))
        let object = try #require(value.object)
        input = try #require(object["input"]?.object)
        expected = try #require(object["expected"]?.object)
    }
}

extension JSONValue {
    var object: JSONObject? { if case .object(let object) = self { object } else { nil } }
    var array: [JSONValue]? { if case .array(let array) = self { array } else { nil } }
    var text: String? { if case .string(let text) = self { text } else { nil } }
    var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
    var boolean: Bool? { if case .boolean(let truth) = self { truth } else { nil } }
}

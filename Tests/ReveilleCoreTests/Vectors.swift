import ReportedCases
import ReveilleJSON

/// The cases from the field.
enum Vectors {
    static func load(_ name: String) throws -> JSONValue {
        try JSONReader.parse(ReportedCase.octets(name))
    }
}

extension JSONValue {
    /// The text at a path of keys and indices.
    func text(at path: Any...) -> String? { walk(path)?.string }

    /// The list at a path of keys.
    func list(at path: Any...) -> [JSONValue] { walk(path)?.array ?? [] }

    private func walk(_ path: [Any]) -> JSONValue? {
        var value: JSONValue? = self
        for step in path {
            if let key = step as? String { value = value?[key] }
            if let index = step as? Int { value = value?.array?[index] }
        }
        return value
    }
}

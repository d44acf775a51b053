import Foundation
import ReveilleJSON
import Testing

/// The JSON files beside the tests.
enum Vectors {
    static func load(_ name: String) throws -> JSONValue {
        let url = try #require(Bundle.module.url(forResource: "Vectors/\(name)", withExtension: "json"))
        return try JSONReader.parse(Array(Data(contentsOf: url)))
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

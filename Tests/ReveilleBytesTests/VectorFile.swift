import Foundation
import ReveilleJSON
import Testing

/// Test data beside the tests.
enum VectorFile {
    /// The value of a JSON file in `Vectors`.
    static func load(_ name: String) throws -> JSONValue {
        let url = try #require(Bundle.module.url(forResource: "Vectors/\(name)", withExtension: "json"))
        return try JSONReader.parse(Array(Data(contentsOf: url)))
    }
}

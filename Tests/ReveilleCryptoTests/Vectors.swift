import Foundation
import ReportedCases
import ReveilleBytes
import ReveilleJSON
import Testing

/// The JSON files beside the tests.
enum Vectors {
    static func load(_ name: String) throws -> JSONValue {
        let url = try #require(
            Bundle.module.url(forResource: "Vectors/\(name)", withExtension: "json"))
        return try JSONReader.parse(Array(Data(contentsOf: url)))
    }

    /// A case from the field.
    static func reported(_ name: String) throws -> JSONValue { try JSONReader.parse(ReportedCase.octets(name)) }

    /// The entries of one list of a file.
    static func entries(_ list: String, of file: String) throws -> [Vector] {
        try #require(load(file)[list]?.array).map(Vector.init)
    }
}

/// One entry of a list, printed by its name.
struct Vector: Sendable, CustomTestStringConvertible {
    let value: JSONValue

    init(_ value: JSONValue) {
        self.value = value
    }

    var testDescription: String { value["name"]?.string ?? "vector" }

    func text(_ key: String) throws -> String {
        try #require(value[key]?.string, "no text called \(key)")
    }

    func bytes(_ key: String) throws -> [UInt8] {
        try #require(Hex.decode(try text(key)), "no bytes called \(key)")
    }

    func number(_ key: String) throws -> Int {
        Int(try #require(value[key]?.integer, "no number called \(key)"))
    }

    func flag(_ key: String) throws -> Bool {
        try #require(value[key]?.boolean as Bool?, "no flag called \(key)")
    }
}

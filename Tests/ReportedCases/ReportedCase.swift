import Foundation

/// The numbered cases from the field: each one is a made-up input and the right answer, read by the tests of every room that has
/// to give it.
package enum ReportedCase {
    /// No case has this name.
    package struct Missing: Error {
        package let name: String
    }

    /// The JSON text of a case, by its number and name, such as `048-token-printed-forms`.
    package static func octets(_ name: String) throws -> [UInt8] {
        guard let url = Bundle.module.url(forResource: "Cases/\(name)", withExtension: "json") else {
            throw Missing(name: name)
        }
        return Array(try Data(contentsOf: url))
    }
}

import Foundation
import ReportedCases
import ReveilleJSON

/// Files of the repository that tests compare the program with.
enum Repository {
    /// The text of a file below the repository's root.
    static func text(_ path: String) throws -> String {
        // The sources may be seen through a link; the documents stand beside where it points.
        let tests = URL(filePath: #filePath).deletingLastPathComponent().resolvingSymlinksInPath()
        return try String(contentsOf: tests.appending(path: "../../../\(path)").standardized, encoding: .utf8)
    }

    /// A case of the collection of reported faults.
    static func vector(_ name: String) throws -> JSONValue {
        try JSONReader.parse(ReportedCase.octets(name))
    }
}

import Foundation
import Testing

@Suite("The list of reported cases")
struct ReportedCasesTests {
    /// The numbers of the cases about APNs, retries, the outbox and the registry; those between them were never given out.
    private static let numbers =
        [1, 2, 3, 5, 8, 9, 10, 12, 13, 14, 15, 18, 20, 21, 22, 25, 26, 28, 29, 30, 32, 34, 35, 36, 38, 39, 40, 42, 44]
        + [45, 46, 47, 48, 52, 53, 55]
        + [121, 124, 125, 126, 127, 130, 131, 133, 134, 136, 137, 138, 139, 140, 142, 143]

    /// A line of the list.
    struct Case: Sendable {
        let number: Int
        let name: String
        /// The tests that give its answer, as module, suite and function; empty when it does not apply.
        let tests: [[String]]
        /// Why it does not apply.
        let reason: String?

        /// The name of its file of data.
        var file: String {
            let digits = String(number)
            return String(repeating: "0", count: 3 - digits.count) + "\(digits)-\(name)"
        }
    }

    private static func list() throws -> [Case] {
        let text = try String(
            contentsOf: SourceTree.root.appending(path: "Tests/ReportedCases/cases.tsv"), encoding: .utf8)
        return try text.split(separator: "\n").dropFirst().map { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            try #require(fields.count == 3, "\(line)")
            let reason = fields[2].wholeMatch(of: /does not apply: (.+)/).map { String($0.output.1) }
            let tests = reason == nil ? fields[2].components(separatedBy: "; ") : []
            return Case(
                number: try #require(Int(fields[0])), name: fields[1],
                tests: tests.map { $0.split(separator: "/", maxSplits: 2).map(String.init) }, reason: reason)
        }
    }

    /// The lines of a test of a suite; nil when there is no such test.
    private static func body(_ test: [String], in files: [SourceTree.File]) -> ArraySlice<Substring>? {
        for file in files where file.path.hasPrefix("Tests/\(test[0])/") {
            for (number, line) in file.lines.enumerated() where line.hasPrefix("    func \(test[2])(") {
                let above = file.lines[..<number]
                let suite = above.last { $0.hasPrefix("struct ") || $0.hasPrefix("@Suite struct ") }
                guard suite?.contains("struct \(test[1]) ") == true,
                    above.reversed().prefix(while: { !$0.isEmpty }).contains(where: { $0.contains("@Test") })
                else { continue }
                return file.lines[number...].prefix { $0 != "    }" }
            }
        }
        return nil
    }

    /// Whether a file of the conformance suite has a case with this title.
    private static func isConformanceCase(_ test: [String], in files: [SourceTree.File]) -> Bool {
        let file = files.first { $0.path == "Tests/StorageConformance/\(test[1]).swift" }
        return file?.lines.contains { $0.contains("\"\(test[2])\"") } ?? false
    }

    @Test("has one line for each number, in order, each with tests or a reason")
    func complete() throws {
        let list = try Self.list()
        #expect(list.map(\.number) == Self.numbers)
        for line in list { #expect((line.reason ?? "").isEmpty == !line.tests.isEmpty, "case \(line.number)") }
    }

    @Test("names tests that exist")
    func testsExist() throws {
        let files = try SourceTree.swiftFiles(below: "Tests")
        for line in try Self.list() {
            for test in line.tests {
                let found =
                    test[0] == "StorageConformance"
                    ? Self.isConformanceCase(test, in: files) : Self.body(test, in: files) != nil
                #expect(found, "case \(line.number) names \(test.joined(separator: "/"))")
            }
        }
    }

    @Test("names a test that reads the data of each case whose data are here")
    func dataAreRead() throws {
        let files = try SourceTree.swiftFiles(below: "Tests")
        let data = Set(
            try SourceTree.paths(below: "Tests/ReportedCases/Cases").map { String($0.split(separator: "/")[3]) })
        #expect(data.count > 25)
        for line in try Self.list() where data.contains(line.file + ".json") {
            let reads = line.tests.contains { test in
                Self.body(test, in: files)?.contains { $0.contains("\"\(line.file)\"") } ?? false
            }
            #expect(reads, "no test of case \(line.number) reads \(line.file)")
        }
    }
}

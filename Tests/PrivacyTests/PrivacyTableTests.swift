import Foundation
import PrivacyAudit
import Testing

@Suite("docs/privacy.md says what the shapes in code say")
struct PrivacyTableTests {
    static let begin = "<!-- tables from the shapes in code -->"
    static let end = "<!-- end of the tables -->"

    @Test("the tables stand in the document as they are written from the code")
    func tables() throws {
        let document = try SourceText.read("docs/privacy.md")
        let start = try #require(document.firstRange(of: Self.begin))
        let stop = try #require(document.firstRange(of: Self.end))
        let tables = String(document[start.upperBound..<stop.lowerBound]).trimmingPrefix("\n")
        #expect(tables == PrivacyTable.markdown + "\n", "docs/privacy.md must have:\n\(PrivacyTable.markdown)")
    }

    @Test("the ways out and the allowances that stand there are those of the audit, no more and no fewer")
    func ways() throws {
        let ways = try Self.rows(below: "| way out | what it is |").compactMap(\.first)
        #expect(ways.sorted() == WayOut.allCases.map(\.rawValue).sorted())
        let reasons = try Self.rows(below: "| way out | what | why |").compactMap(\.last)
        #expect(reasons.sorted() == Allowance.all.map(\.reason).sorted())
    }

    /// The cells of the rows of a table of the document.
    private static func rows(below head: String) throws -> [[String]] {
        let lines = try SourceText.read("docs/privacy.md").components(separatedBy: "\n")
        let start = try #require(lines.firstIndex(of: head))
        return lines[(start + 2)...].prefix { $0.hasPrefix("| ") }.map { line in
            line.dropFirst(2).dropLast(2).components(separatedBy: " | ")
        }
    }
}

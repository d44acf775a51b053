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

    @Test("every way out and every allowance is described there")
    func ways() throws {
        let document = try SourceText.read("docs/privacy.md")
        for way in WayOut.allCases { #expect(document.contains(way.rawValue), "\(way.rawValue)") }
        for allowance in Allowance.all { #expect(document.contains(allowance.reason), "\(allowance.reason)") }
    }
}

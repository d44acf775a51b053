import Foundation
import Testing

@Suite("The acts whose every step fails once")
struct ActsCoverageTests {
    private static let root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The text of all Swift files directly in a folder of the sources or one level below it, those that `isMeant`.
    private static func text(_ folder: String, _ isMeant: (String) -> Bool = { _ in true }) throws -> String {
        let files = FileManager.default
        let place = root.appending(path: "Sources/\(folder)")
        var text = ""
        for name in try files.subpathsOfDirectory(atPath: place.path()).sorted()
        where name.hasSuffix(".swift") && isMeant(name) {
            text += try String(contentsOf: place.appending(path: name), encoding: .utf8) + "\n"
        }
        return text
    }

    /// The functions of a text by their whole names, each with what follows until the next one.
    private static func functions(in text: String) -> [String: String] {
        var found: [String: String] = [:]
        let heads = text.matches(of: /\n    (?:package )?func ([A-Za-z]+)\(([^)]*)\)/)
        for (number, head) in heads.enumerated() {
            let labels = head.output.2.split(separator: ",").compactMap { parameter in
                parameter.split(whereSeparator: { " \n:".contains($0) }).first.map { "\($0):" }
            }
            let end = number + 1 < heads.count ? heads[number + 1].range.lowerBound : text.endIndex
            found["\(head.output.1)(\(labels.joined()))"] = String(text[head.range.upperBound..<end])
        }
        return found
    }

    /// The declarations of the protocols that make up a store.
    private static func required() throws -> Set<String> {
        let text = try text("ReveilleStorage")
        let protocols = text.matches(of: /package protocol [A-Za-z]+Store: Sendable \{(?s:.*?)\n\}/)
        #expect(protocols.count == 7)
        return Set(protocols.flatMap { functions(in: String($0.output)).keys })
    }

    @Test("are about each operation of a store that writes, and about no other")
    func complete() throws {
        let required = try Self.required()
        let offered = Self.functions(in: try Self.text("ReveilleStorageSQLite") { $0.hasPrefix("SQLiteHomeStore+") })
        let missing = required.subtracting(offered.keys).subtracting(["close()"])
        #expect(missing.isEmpty, "not found in the sources: \(missing.sorted())")
        let writing = offered.filter { required.contains($0.key) && $0.value.contains("writer.write") }.keys
        #expect(writing.count > 25)
        #expect(Set(writing) == Set(StoreAct.all.map(\.operation)))
    }

    @Test("have names of their own")
    func named() {
        #expect(Set(StoreAct.all.map(\.testDescription)).count == StoreAct.all.count)
    }
}

import Foundation
import Testing

/// Rules of style that a reader would otherwise have to watch for.
@Suite("The sources keep the rules of the house")
struct TidyTests {
    static let longestFile = 400
    static let longestFunction = 60

    @Test("no file is longer than a reader can hold", arguments: ["Sources", "Tests"])
    func filesAreShort(folder: String) throws {
        for file in try SourceTree.swiftFiles(below: folder) {
            #expect(file.lines.count <= Self.longestFile + 1, "\(file) has \(file.lines.count) lines")
        }
    }

    @Test("every function fits a screen", arguments: ["Sources", "Tests"])
    func functionsAreShort(folder: String) throws {
        for file in try SourceTree.swiftFiles(below: folder) {
            for function in Self.functions(in: file.lines) {
                #expect(
                    function.length <= Self.longestFunction,
                    "\(file):\(function.line) is \(function.length) lines long")
            }
        }
    }

    @Test(
        "words that end a program or hide a fault do not occur",
        arguments: ["try!", "as!", "fatalError(", "Task." + "sleep", "@test" + "able", "TODO", "FIXME"])
    func bannedInSources(word: String) throws {
        for file in try SourceTree.swiftFiles(below: "Sources") {
            for (number, line) in file.lines.enumerated() {
                #expect(!line.contains(word), "\(file):\(number + 1) has '\(word)'")
            }
        }
    }

    @Test("tests wait for signals, never for time to pass")
    func testsDoNotSleep() throws {
        let sleeping = ["Task." + "sleep", "us" + "leep(", " sl" + "eep("]
        for file in try SourceTree.swiftFiles(below: "Tests") {
            for (number, line) in file.lines.enumerated() {
                for word in sleeping {
                    #expect(!line.contains(word), "\(file):\(number + 1) sleeps")
                }
            }
        }
    }

    @Test("a test that is left out somewhere says why in the report")
    func conditionsAreExplained() throws {
        var conditions = 0
        for file in try SourceTree.swiftFiles(below: "Tests") {
            for (number, line) in file.lines.enumerated() where line.contains(".enabled(" + "if:") {
                conditions += 1
                #expect(line.contains(", \""), "\(file):\(number + 1) gives no reason")
            }
        }
        #expect(conditions > 3)
    }

    @Test("every vector beside the tests of a module is read by one of them")
    func vectorsAreRead() throws {
        let vectors = try SourceTree.paths(below: "Tests").filter { $0.contains("/Vectors/") && $0.hasSuffix(".json") }
        #expect(vectors.count > 5)
        for vector in vectors {
            let parts = vector.split(separator: "/")
            let name = try #require(parts.last).dropLast(".json".count)
            let lines = try SourceTree.swiftFiles(below: "Tests/\(parts[1])").flatMap(\.lines)
            #expect(lines.contains { $0.contains("\(name)\"") }, "nobody reads \(vector)")
        }
    }

    @Test("every numbered case stands in one place and is read by some test")
    func casesAreRead() throws {
        let files = try SourceTree.paths(below: "Tests").filter { $0.hasSuffix(".json") }
        let numbered = files.filter { $0.split(separator: "/").last?.prefix(3).allSatisfy(\.isNumber) == true }
        #expect(numbered.count > 25)
        let lines = try SourceTree.swiftFiles(below: "Tests").flatMap(\.lines)
        for file in numbered {
            #expect(file.hasPrefix("Tests/ReportedCases/Cases/"), "\(file)")
            let name = try #require(file.split(separator: "/").last).dropLast(".json".count)
            #expect(lines.contains { $0.contains("\"\(name)\"") }, "nobody reads \(file)")
        }
    }

    @Test("@unchecked Sendable is rare, and each has its reason beside it")
    func uncheckedIsExplained() throws {
        var count = 0
        for file in try SourceTree.swiftFiles(below: "Sources") {
            for (number, line) in file.lines.enumerated() {
                guard line.contains("@unchecked Sendable"), !line.contains("//") else { continue }
                count += 1
                let above = file.lines[max(0, number - 12)..<number]
                #expect(
                    above.contains { $0.contains("//") }, "\(file):\(number + 1) gives no reason")
            }
        }
        #expect(count < 16)
    }

    @Test("C modules are imported by their gates only")
    func gatesInImports() throws {
        for file in try SourceTree.swiftFiles(below: "Sources") {
            for (library, folders) in FloorsTests.gates
            where file.lines.contains(where: { $0.hasSuffix("import \(library)") }) {
                #expect(folders.contains { file.path.hasPrefix("Sources/\($0)/") }, "\(file)")
            }
        }
    }

    @Test("libraries do without Foundation")
    func noFoundation() throws {
        for file in try SourceTree.swiftFiles(below: "Sources") {
            #expect(!file.lines.contains { $0.hasSuffix("import Foundation") }, "\(file)")
        }
    }

    @Test("what crosses a module is documented")
    func packageDeclarationsAreDocumented() throws {
        // What a type does to meet a protocol is documented there; no text search can tell the two apart.
        let starts = ["struct ", "class ", "enum ", "protocol ", "actor ", "static func "]
        var undocumented: [String] = []
        for file in try SourceTree.swiftFiles(below: "Sources") {
            for (number, line) in file.lines.enumerated() {
                let text = line.drop { $0 == " " }
                guard text.hasPrefix("package ") || text.hasPrefix("public ") else { continue }
                guard starts.contains(where: { text.contains($0) }), !text.contains("static func <"),
                    !text.contains("static func ==")
                else { continue }
                var above = number - 1
                while above > 0, file.lines[above].drop(while: { $0 == " " }).hasPrefix("@") {
                    above -= 1
                }
                if above < 0 || !file.lines[above].drop(while: { $0 == " " }).hasPrefix("///") {
                    undocumented.append("\(file):\(number + 1)")
                }
            }
        }
        #expect(undocumented.isEmpty, "\(undocumented.count): \(undocumented.prefix(20))")
    }

    @Test("every test file expects something")
    func testsExpect() throws {
        for file in try SourceTree.swiftFiles(below: "Tests") where file.path.hasSuffix("Tests.swift") {
            let asserts = ["#expect", "#require", "Issue.record", "expect("]
            #expect(
                file.lines.contains { line in asserts.contains { line.contains($0) } }, "\(file)")
        }
    }

    /// The functions of a file by indentation: a body ends at a brace on the column of its head.
    static func functions(in lines: [Substring]) -> [(line: Int, length: Int)] {
        var found: [(line: Int, length: Int)] = []
        var open: (line: Int, indent: Int)?
        for (number, line) in lines.enumerated() {
            let indent = line.prefix { $0 == " " }.count
            let text = line.dropFirst(indent)
            if open == nil, !text.hasPrefix("//"),
                text.contains("func ") || text.hasPrefix("init(") || text.contains(" init("),
                hasBody(lines[number...])
            {
                if text.hasSuffix("}") { continue }
                open = (number + 1, indent)
            } else if let function = open, indent == function.indent, text.hasPrefix("}") {
                found.append((function.line, number + 1 - function.line))
                open = nil
            }
        }
        return found
    }

    /// True when the head that begins `lines` ends with a brace: requirements of protocols end with nothing.
    private static func hasBody(_ lines: ArraySlice<Substring>) -> Bool {
        for line in lines.prefix(12) {
            if line.hasSuffix("{") { return true }
            let text = line.drop { $0 == " " }
            if text.isEmpty || text.hasPrefix("///") || text.hasPrefix("}") { return false }
        }
        return false
    }
}

import Foundation

/// Files of the project that tests compare the audit with.
enum SourceText {
    /// The project's folder: the sources may be seen through a link, and the documents stand beside where it points.
    static let root = URL(filePath: #filePath).deletingLastPathComponent().resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The text of a file.
    static func read(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// Paths below a folder, relative to it, that end with one of the suffixes.
    static func paths(below folder: String, suffixes: [String]) throws -> [String] {
        let all = FileManager.default.enumerator(atPath: root.appending(path: folder).path())
        return (all?.allObjects ?? []).compactMap { $0 as? String }
            .filter { path in suffixes.contains { path.hasSuffix($0) } }.sorted()
    }
}

import Foundation

/// The project's own files as the tests see them.
struct SourceTree {
    /// The folder of the manifest.
    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    struct File: Sendable, CustomStringConvertible {
        let path: String
        let lines: [Substring]
        var description: String { path }
    }

    /// The Swift files below a folder of the project, sorted by path.
    static func swiftFiles(below folder: String) throws -> [File] {
        try paths(below: folder).filter { $0.hasSuffix(".swift") }.map { path in
            let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
            return File(
                path: path, lines: text.split(separator: "\n", omittingEmptySubsequences: false))
        }
    }

    /// All paths below a folder, relative to the root.
    static func paths(below folder: String) throws -> [String] {
        guard
            let walk = FileManager.default.enumerator(
                at: root.appending(path: folder).resolvingSymlinksInPath(),
                includingPropertiesForKeys: [.isRegularFileKey])
        else { return [] }
        var paths: [String] = []
        let prefix = root.appending(path: folder).resolvingSymlinksInPath().path()
        for case let url as URL in walk {
            if try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true {
                let path = url.resolvingSymlinksInPath().path()
                paths.append(folder + "/" + path.dropFirst(prefix.count).drop { $0 == "/" })
            }
        }
        return paths.sorted()
    }
}

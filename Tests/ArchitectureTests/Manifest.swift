import Foundation

/// The resolved manifest, as `swift package dump-package` prints it.
struct Manifest: Decodable {
    let targets: [Target]

    struct Target: Decodable {
        let name: String
        let type: String
        let dependencies: [Dependency]
    }

    /// A dependency on a target of this package; the dump writes `{"byName": ["Name", null]}`.
    struct Dependency: Decodable {
        let name: String

        init(from decoder: any Decoder) throws {
            let box = try decoder.container(keyedBy: Key.self)
            for key in box.allKeys {
                var list = try box.nestedUnkeyedContainer(forKey: key)
                name = try list.decode(String.self)
                return
            }
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "an empty dependency"))
        }

        struct Key: CodingKey {
            let stringValue: String
            let intValue: Int? = nil
            init?(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { return nil }
        }
    }

    /// Asks the package manager, in a scratch folder of its own so that a running build is no obstacle.
    static let current: Result<Manifest, any Error> = Result {
        let scratch = FileManager.default.temporaryDirectory.appending(
            path: "reveille-manifest-\(getpid())")
        defer { try? FileManager.default.removeItem(at: scratch) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "swift", "package", "--package-path", SourceTree.root.path(), "--scratch-path",
            scratch.path(), "dump-package",
        ]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let json = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return try JSONDecoder().decode(Manifest.self, from: json)
    }

    /// Everything a target is built on, directly or not.
    func foundations(of name: String) -> Set<String> {
        let byName = Dictionary(uniqueKeysWithValues: targets.map { ($0.name, $0) })
        var found: Set<String> = []
        var queue = [name]
        while let next = queue.popLast() {
            for dependency in byName[next]?.dependencies ?? []
            where found.insert(dependency.name).inserted {
                queue.append(dependency.name)
            }
        }
        return found
    }
}

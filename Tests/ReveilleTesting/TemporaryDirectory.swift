internal import Glibc
package import Testing

/// A directory that exists while a test runs.
package struct TemporaryDirectory: Sendable {
    /// The absolute path.
    package let path: String

    /// The directory of the test that is running; only with the trait `.temporaryDirectory`.
    @TaskLocal package static var current: TemporaryDirectory?

    /// The path of an entry called `name`.
    package func file(_ name: String) -> String { "\(path)/\(name)" }

    /// A new, empty directory that only this user may enter.
    package static func make() throws -> TemporaryDirectory {
        var template = Array("/tmp/reveille-test-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        guard let made else { throw TemporaryDirectoryError() }
        return TemporaryDirectory(path: made)
    }

    /// Removes the directory and what is in it.
    package func remove() {
        Self.remove(path)
    }

    /// Removes an entry and what is below it; links are removed, not followed.
    private static func remove(_ path: String) {
        if unlink(path) == 0 { return }
        if let directory = opendir(path) {
            defer { closedir(directory) }
            while let entry = readdir(directory) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                if name != ".", name != ".." { remove("\(path)/\(name)") }
            }
        }
        rmdir(path)
    }
}

/// The directory for a test could not be made.
package struct TemporaryDirectoryError: Error {}

/// Gives each test (each case of a parameterised one) a directory of its own, in ``TemporaryDirectory/current``.
package struct TemporaryDirectoryTrait: TestTrait, SuiteTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        let directory = try TemporaryDirectory.make()
        defer { directory.remove() }
        try await TemporaryDirectory.$current.withValue(directory) { try await function() }
    }
}

extension Trait where Self == TemporaryDirectoryTrait {
    /// A directory for each test.
    package static var temporaryDirectory: Self { Self() }
}

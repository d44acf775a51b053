import Foundation
import ReveilleTesting
import Testing

@Suite("What tests share")
struct TestingLibraryTests {
    @Test(
        "a temporary directory exists for one test, is its own, and is removed with what is in it", .temporaryDirectory,
        arguments: [1, 2])
    func temporaryDirectory(number: Int) throws {
        let directory = try #require(TemporaryDirectory.current)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
        try Data("x".utf8).write(to: URL(fileURLWithPath: directory.file("file")))

        let other = try TemporaryDirectory.make()
        #expect(other.path != directory.path)
        let nested = other.file("a/b")
        try FileManager.default.createDirectory(atPath: nested, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: other.file("link"), withDestinationPath: directory.path)
        try Data("x".utf8).write(to: URL(fileURLWithPath: "\(nested)/file"))
        other.remove()
        #expect(!FileManager.default.fileExists(atPath: other.path))
        #expect(FileManager.default.fileExists(atPath: directory.file("file")))
    }

    @Test("outside such a test there is no directory")
    func noDirectory() {
        #expect(TemporaryDirectory.current == nil)
    }

    @Test("a signal that is sent between the look and the wait is not missed")
    func signals() async throws {
        for _ in 0..<TestScale.count(2000) {
            let probe = Probe(0)
            async let waiter = probe.wait { $0 == 1 }
            probe.update { $0 += 1 }
            #expect(try await waiter == 1)
        }
    }

    @Test("a scale keeps at least one repetition")
    func scale() {
        #expect(TestScale.count(1) >= 1)
        #expect(TestSeed.both.count == 2)
    }
}

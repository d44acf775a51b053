import Foundation
import ReaderFuzzing

/// The inputs that fuzzing found and that are worth repeating, beside a target's own seeds.
enum CorpusFile {
    /// The inputs of a target's file.
    static func inputs(_ target: FuzzTarget) throws -> [[UInt8]] {
        try CorpusText.inputs(in: String(contentsOf: url(target), encoding: .utf8))
    }

    private static func url(_ target: FuzzTarget) throws -> URL {
        guard
            let url = Bundle.module.url(
                forResource: target.name, withExtension: "txt", subdirectory: "Corpus")
        else { throw CocoaError(.fileNoSuchFile) }
        return url
    }
}

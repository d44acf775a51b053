import CFuzzer
import Foundation
import ReaderFuzzing

/// Fuzzes one reader, and moves its corpus between the file in the repository and the folder that the fuzzer works in.
///
///     reveille-fuzz list
///     reveille-fuzz unpack TARGET FILE FOLDER
///     reveille-fuzz pack FOLDER FILE
///     reveille-fuzz line INPUT
///     reveille-fuzz run TARGET [arguments of libFuzzer]
@main
enum FuzzProgram {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        switch (arguments.first, arguments.count) {
        case ("list", 1): for target in FuzzTarget.all { print(target.name) }
        case ("unpack", 4): try unpack(Array(arguments.dropFirst()))
        case ("pack", 3): try pack(Array(arguments.dropFirst()))
        case ("line", 2):
            print(CorpusText.line([UInt8](try Data(contentsOf: URL(filePath: CommandLine.arguments[2])))))
        case ("run", 2...): exit(run(Array(arguments.dropFirst(2))))
        default:
            print(
                "usage: reveille-fuzz list | unpack TARGET FILE FOLDER | pack FOLDER FILE | line INPUT | run TARGET [OPTION…]"
            )
            exit(2)
        }
    }

    /// The target of `run`.
    private static let target: FuzzTarget = {
        guard CommandLine.arguments.count > 2, let found = FuzzTarget.named(CommandLine.arguments[2]) else {
            print("reveille-fuzz: there is no such target")
            exit(2)
        }
        return found
    }()

    /// Writes seeds, corpus and dictionary as libFuzzer reads them.
    private static func unpack(_ arguments: [String]) throws {
        guard let target = FuzzTarget.named(arguments[0]) else { exit(2) }
        let corpus = try CorpusText.inputs(in: String(contentsOfFile: arguments[1], encoding: .utf8))
        let folder = URL(filePath: arguments[2])
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (number, input) in (target.seeds + corpus).enumerated() {
            try Data(input).write(to: folder.appending(path: "seed-\(number)"))
        }
        let words = target.words.map { word in
            let text = word.map { byte in
                let digits = String(byte, radix: 16)
                return "\\x" + (digits.count == 1 ? "0" : "") + digits
            }
            return "\"\(text.joined())\"\n"
        }
        try words.joined().write(toFile: arguments[2] + ".dict", atomically: true, encoding: .utf8)
    }

    /// Writes the files of a folder as lines, shortest first.
    private static func pack(_ arguments: [String]) throws {
        let folder = URL(filePath: arguments[0])
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        let lines = try files.map { CorpusText.line([UInt8](try Data(contentsOf: $0))) }
            .filter { !$0.isEmpty }.sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
        let text = lines.map { $0 + "\n" }.joined()
        try text.write(toFile: arguments[1], atomically: true, encoding: .utf8)
    }

    /// Hands over to libFuzzer, which calls back with each input.
    private static func run(_ options: [String]) -> Int32 {
        _ = target
        var argv: [UnsafeMutablePointer<CChar>?] = (["reveille-fuzz"] + options).map { strdup($0) } + [nil]
        var argc = Int32(argv.count - 1)
        return argv.withUnsafeMutableBufferPointer { buffer in
            var start = buffer.baseAddress
            return LLVMFuzzerRunDriver(&argc, &start) { data, size in
                let input = [UInt8](UnsafeBufferPointer(start: data, count: size))
                do {
                    _ = try target.check(input)
                } catch {
                    FileHandle.standardError.write(Data("\(target.name): broken: \(error)\n".utf8))
                    abort()
                }
                return 0
            }
        }
    }
}

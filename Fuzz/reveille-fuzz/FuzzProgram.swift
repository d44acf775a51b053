import Foundation
import ReaderFuzzing

/// Fuzzes one reader, and moves its corpus between the file in the repository and the folder that the fuzzer works in.
///
///     reveille-fuzz list
///     reveille-fuzz unpack TARGET FILE FOLDER
///     reveille-fuzz pack FOLDER FILE
///     reveille-fuzz line INPUT
///     REVEILLE_FUZZ_TARGET=TARGET reveille-fuzz [arguments of libFuzzer]
enum FuzzProgram {
    /// Does what does not need the fuzzer; false when the fuzzer shall run.
    static func command(_ arguments: [String]) throws -> Bool {
        switch (arguments.first, arguments.count) {
        case ("list", 1): for target in FuzzTarget.all { print(target.name) }
        case ("unpack", 4): try unpack(Array(arguments.dropFirst()))
        case ("pack", 3): try pack(Array(arguments.dropFirst()))
        case ("line", 2): print(CorpusText.line([UInt8](try Data(contentsOf: URL(filePath: arguments[1])))))
        default: return false
        }
        return true
    }

    /// The target to fuzz, from the environment, which the fuzzer's own child processes inherit.
    static let target: FuzzTarget = {
        let name = ProcessInfo.processInfo.environment["REVEILLE_FUZZ_TARGET"] ?? ""
        guard let found = FuzzTarget.named(name) else {
            print("reveille-fuzz: REVEILLE_FUZZ_TARGET names no target: '\(name)'")
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
}

/// libFuzzer calls this first.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
    _ count: UnsafeMutablePointer<Int32>, _: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>
) -> Int32 {
    do {
        if try FuzzProgram.command(Array(CommandLine.arguments.dropFirst())) { exit(0) }
    } catch {
        FileHandle.standardError.write(Data("reveille-fuzz: \(error)\n".utf8))
        exit(1)
    }
    _ = FuzzProgram.target
    return 0
}

/// libFuzzer calls this with each input; a broken property ends the program, so that the input is kept.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let input = [UInt8](UnsafeBufferPointer(start: data, count: size))
    do {
        _ = try FuzzProgram.target.check(input)
    } catch {
        FileHandle.standardError.write(Data("\(FuzzProgram.target.name): broken: \(error)\n".utf8))
        abort()
    }
    return 0
}

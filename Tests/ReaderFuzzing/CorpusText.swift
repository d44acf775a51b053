/// Inputs as lines of text: printable ASCII stands for itself, `\r`, `\n`, `\t`, `\\` and `\xNN` for the rest.
///
/// Empty lines and lines that begin with `#` are comments. An input that begins so, or ends with a blank, is written with an
/// escape.
package enum CorpusText {
    /// A line that cannot be read.
    package struct Malformed: Error, Equatable {
        /// Its number, from 1.
        package let line: Int

        /// Names a line.
        package init(line: Int) { self.line = line }
    }

    /// The inputs of a file.
    package static func inputs(in text: String) throws(Malformed) -> [[UInt8]] {
        var inputs: [[UInt8]] = []
        for (number, line) in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .enumerated()
        where !line.isEmpty && line.first != UInt8(ascii: "#") {
            guard let input = decode([UInt8](line)) else { throw Malformed(line: number + 1) }
            inputs.append(input)
        }
        return inputs
    }

    /// The line of an input, without its line end.
    package static func line(_ input: [UInt8]) -> String {
        var line = ""
        for (index, byte) in input.enumerated() {
            switch byte {
            case 0x0D: line += "\\r"
            case 0x0A: line += "\\n"
            case 0x09: line += "\\t"
            case 0x5C: line += "\\\\"
            case 0x23 where index == 0: line += "\\x23"
            case 0x20 where index == input.count - 1: line += "\\x20"
            case 0x20...0x7E: line.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = Array("0123456789ABCDEF")
                line += "\\x\(digits[Int(byte >> 4)])\(digits[Int(byte & 0xF)])"
            }
        }
        return line
    }

    private static func decode(_ line: [UInt8]) -> [UInt8]? {
        var input: [UInt8] = []
        var rest = line[...]
        while let byte = rest.popFirst() {
            guard byte == 0x5C else {
                guard (0x20...0x7E).contains(byte) else { return nil }
                input.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "r"): input.append(0x0D)
            case UInt8(ascii: "n"): input.append(0x0A)
            case UInt8(ascii: "t"): input.append(0x09)
            case UInt8(ascii: "\\"): input.append(0x5C)
            case UInt8(ascii: "x"):
                guard rest.count >= 2, let value = hexPair(rest.removeFirst(), rest.removeFirst()) else { return nil }
                input.append(value)
            default: return nil
            }
        }
        return input
    }

    private static func hexPair(_ high: UInt8, _ low: UInt8) -> UInt8? {
        guard let high = Character(Unicode.Scalar(high)).hexDigitValue,
            let low = Character(Unicode.Scalar(low)).hexDigitValue
        else { return nil }
        return UInt8(high << 4 | low)
    }
}

/// Lists as JSON arrays, in which one statement takes what would otherwise need a statement each
/// (https://sqlite.org/json1.html, `json_each`).
enum JSONList {
    /// Whole numbers.
    static func of(_ numbers: some Collection<Int64>) -> String {
        var text: [UInt8] = [UInt8(ascii: "[")]
        text.reserveCapacity(numbers.count * 10 + 2)
        for number in numbers {
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            append(number, to: &text)
        }
        text.append(UInt8(ascii: "]"))
        return String(decoding: text, as: UTF8.self)
    }

    /// Texts; nil when one holds a control character, which SQLite does not read back from JSON as it was.
    static func of(_ texts: [String]) -> String? {
        var list: [UInt8] = [UInt8(ascii: "[")]
        for text in texts {
            if list.count > 1 { list.append(UInt8(ascii: ",")) }
            list.append(UInt8(ascii: "\""))
            for octet in text.utf8 {
                if octet < 0x20 { return nil }
                if octet == UInt8(ascii: "\"") || octet == UInt8(ascii: "\\") { list.append(UInt8(ascii: "\\")) }
                list.append(octet)
            }
            list.append(UInt8(ascii: "\""))
        }
        list.append(UInt8(ascii: "]"))
        return String(decoding: list, as: UTF8.self)
    }

    private static func append(_ number: Int64, to text: inout [UInt8]) {
        if number < 0 { return text.append(contentsOf: String(number).utf8) }
        var digits: UInt64 = UInt64(number)
        let start = text.count
        repeat {
            text.append(UInt8(ascii: "0") + UInt8(digits % 10))
            digits /= 10
        } while digits > 0
        text[start...].reverse()
    }
}

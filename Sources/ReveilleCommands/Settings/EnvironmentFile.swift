/// Reads a file of `NAME=value` lines as systemd's `EnvironmentFile` does.
///
/// Blank lines and lines beginning with `#` or `;` are skipped; a value may stand in single or double
/// quotes; in double quotes a backslash keeps the next character, and `\n` is a line feed.
package enum EnvironmentFile {
    /// A line that cannot be read.
    package struct Problem: Error, Hashable, Sendable {
        package let line: Int
        package let reason: String
    }

    /// What a line says.
    package struct Entry: Hashable, Sendable {
        package let name: String
        package let value: String
        /// The number of the line, from 1.
        package let line: Int
    }

    /// What the lines say in the order of the file, and those that cannot be read.
    package static func parse(_ text: String) -> (entries: [Entry], problems: [Problem]) {
        var entries: [Entry] = []
        var problems: [Problem] = []
        // By octet: a line that ends with CR LF would otherwise end with one character that is no line feed.
        for (index, raw) in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .enumerated()
        {
            let line = trimmed(Substring(raw))
            if line.isEmpty || line.hasPrefix("#") || line.hasPrefix(";") { continue }
            do throws(Problem) {
                entries.append(try entry(line, number: index + 1))
            } catch {
                problems.append(error)
            }
        }
        return (entries, problems)
    }

    private static func entry(_ line: Substring, number: Int) throws(Problem) -> Entry {
        guard let equals = line.firstIndex(of: "=") else { throw Problem(line: number, reason: "it has no '='") }
        let name = String(trimmed(line[..<equals]))
        guard isName(name) else { throw Problem(line: number, reason: "the name before '=' is no variable name") }
        guard let value = unquoted(trimmed(line[line.index(after: equals)...])) else {
            throw Problem(line: number, reason: "a quote is not closed")
        }
        guard !value.utf8.contains(0) else { throw Problem(line: number, reason: "it holds a zero octet") }
        return Entry(name: name, value: value, line: number)
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let blanks: Set<Character> = [" ", "\t", "\r", "\r\n"]
        return text.drop { blanks.contains($0) }.droppingLast { blanks.contains($0) }
    }

    private static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, first == UInt8(ascii: "_") || isLetter(first) else {
            return false
        }
        return text.utf8.allSatisfy {
            isLetter($0) || $0 == UInt8(ascii: "_")
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        }
    }

    private static func isLetter(_ octet: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(octet | 0x20)
    }

    private static func unquoted(_ text: Substring) -> String? {
        guard let quote = text.first, quote == "\"" || quote == "'" else { return String(text) }
        guard text.count >= 2, text.last == quote else { return nil }
        let inner = text.dropFirst().dropLast()
        if quote == "'" { return String(inner) }
        var value = ""
        var escaped = false
        for character in inner {
            if escaped {
                value.append(character == "n" ? "\n" : character)
                escaped = false
            } else if character == "\\" {
                escaped = true
            } else {
                value.append(character)
            }
        }
        return escaped ? nil : value
    }
}

extension Substring {
    fileprivate func droppingLast(while predicate: (Character) -> Bool) -> Substring {
        var end = endIndex
        while end > startIndex, predicate(self[index(before: end)]) { end = index(before: end) }
        return self[startIndex..<end]
    }
}

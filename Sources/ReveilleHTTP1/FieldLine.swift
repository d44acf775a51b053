/// One field line (RFC 9112 section 5), cut into name and value.
struct FieldLine {
    /// Where the name lies in the line.
    let name: Range<Int>
    /// Where the value lies, without the white space around it.
    let value: Range<Int>

    /// Reads a line without its CRLF.
    init(_ line: UnsafeRawBufferPointer) throws(HTTP1Error) {
        guard let first = line.first else { throw HTTP1Error(.fieldNameMalformed) }
        if first == ASCII.space || first == ASCII.tab { throw HTTP1Error(.foldedLine) }
        var colon = 0
        while colon < line.count, ByteClass.token.contains(line[colon]) { colon += 1 }
        guard colon < line.count else { throw HTTP1Error(.fieldNameMalformed) }
        if line[colon] != ASCII.colon {
            let isSpace = line[colon] == ASCII.space || line[colon] == ASCII.tab
            throw HTTP1Error(isSpace ? .whitespaceBeforeColon : .fieldNameMalformed)
        }
        guard colon > 0 else { throw HTTP1Error(.fieldNameMalformed) }
        var start = colon + 1
        var end = line.count
        while start < end, line[start] == ASCII.space || line[start] == ASCII.tab { start += 1 }
        while end > start, line[end - 1] == ASCII.space || line[end - 1] == ASCII.tab { end -= 1 }
        for byte in line[start..<end] {
            if byte < ASCII.space && byte != ASCII.tab || byte == ASCII.delete {
                throw HTTP1Error(.fieldValueMalformed)
            }
        }
        name = 0..<colon
        value = start..<end
    }
}

extension UnsafeRawBufferPointer {
    /// The bytes of a range as a buffer of their own.
    @inline(__always)
    func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[range])
    }

    /// Whether these bytes are a lower-case literal in any case.
    @inline(__always)
    func equalsIgnoringCase(_ literal: StaticString) -> Bool {
        guard count == literal.utf8CodeUnitCount else { return false }
        let other = literal.utf8Start
        for index in 0..<count where lowerCased(self[index]) != other[index] { return false }
        return true
    }

    @inline(__always)
    private func lowerCased(_ byte: UInt8) -> UInt8 {
        byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
    }

    /// The elements of a comma-separated list, without the white space around them; empty elements are left out.
    func forEachListElement(_ body: (UnsafeRawBufferPointer) -> Void) {
        var start = 0
        for index in 0...count where index == count || self[index] == ASCII.comma {
            var low = start
            var high = index
            while low < high, self[low] == ASCII.space || self[low] == ASCII.tab { low += 1 }
            while high > low, self[high - 1] == ASCII.space || self[high - 1] == ASCII.tab {
                high -= 1
            }
            if low < high { body(slice(low..<high)) }
            start = index + 1
        }
    }
}

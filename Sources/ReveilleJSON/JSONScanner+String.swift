extension JSONScanner {
    /// Reads a string from its opening quotation mark.
    mutating func string() throws(JSONError) -> String {
        position += 1
        let first = position
        try skipPlainText()
        if byte(at: position) == UInt8(ascii: "\"") {
            let text = text(from: first, to: position)
            position += 1
            return text
        }
        return try stringWithEscapes(from: first)
    }

    private func text(from first: Int, to end: Int) -> String {
        String(
            decoding: UnsafeRawBufferPointer(start: start + first, count: end - first),
            as: UTF8.self)
    }

    /// Goes on from the first backslash, with what came before it already checked.
    private mutating func stringWithEscapes(from first: Int) throws(JSONError) -> String {
        scratch.removeAll(keepingCapacity: true)
        var pieceStart = first
        while true {
            scratch.append(
                contentsOf: UnsafeRawBufferPointer(
                    start: start + pieceStart, count: position - pieceStart))
            if byte(at: position) == UInt8(ascii: "\"") {
                position += 1
                return String(decoding: scratch, as: UTF8.self)
            }
            try escape()
            pieceStart = position
            try skipPlainText()
        }
    }

    /// Moves to the next quotation mark or backslash, checking the bytes on the way.
    private mutating func skipPlainText() throws(JSONError) {
        while true {
            skipPlainASCII()
            guard position < count else { throw failure(.unexpectedEnd) }
            let byte = byte(at: position)
            if byte >= 0x80 {
                try skipMultibyteScalar(lead: byte)
            } else if byte < 0x20 {
                throw failure(.controlCharacter)
            } else {
                return
            }
        }
    }

    /// Moves to the next byte that is not ASCII, not printable, a quotation mark or a backslash, or to the end.
    ///
    /// Eight bytes at a time, by arithmetic on whole words: a byte of `(x ^ pattern) - 0x01` borrows into its top bit when it
    /// was zero, and one of `x - 0x20` when it was below a space. A borrow can mark bytes above it wrongly, but never one below,
    /// so the lowest mark is right.
    @inline(__always)
    private mutating func skipPlainASCII() {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        while position + 8 <= count {
            let word = UInt64(littleEndian: start.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            let quotes = (word ^ (ones &* 0x22)) &- ones
            let backslashes = (word ^ (ones &* 0x5C)) &- ones
            let controls = word &- (ones &* 0x20)
            let marks = (word | quotes | backslashes | controls) & tops
            guard marks == 0 else {
                position += marks.trailingZeroBitCount / 8
                return
            }
            position += 8
        }
        while position < count {
            let byte = byte(at: position)
            let isPlain =
                byte >= 0x20 && byte < 0x80 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
            guard isPlain else { return }
            position += 1
        }
    }

    /// Moves over one scalar of two to four bytes (Unicode, table 3-7).
    private mutating func skipMultibyteScalar(lead: UInt8) throws(JSONError) {
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch lead {
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xE1...0xEC, 0xEE, 0xEF: length = 3
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: length = 4
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: throw failure(.invalidUTF8)
        }
        guard position + length <= count, second.contains(byte(at: position + 1)) else {
            throw failure(.invalidUTF8)
        }
        for index in 2..<max(length, 2) where byte(at: position + index) & 0xC0 != 0x80 {
            throw failure(.invalidUTF8)
        }
        position += length
    }

    /// Reads one escape from its backslash and appends what it means to `scratch`.
    private mutating func escape() throws(JSONError) {
        guard position + 1 < count else { throw failure(.unexpectedEnd) }
        let plain: UInt8
        switch byte(at: position + 1) {
        case UInt8(ascii: "\""): plain = UInt8(ascii: "\"")
        case UInt8(ascii: "\\"): plain = UInt8(ascii: "\\")
        case UInt8(ascii: "/"): plain = UInt8(ascii: "/")
        case UInt8(ascii: "b"): plain = 0x08
        case UInt8(ascii: "f"): plain = 0x0C
        case UInt8(ascii: "n"): plain = 0x0A
        case UInt8(ascii: "r"): plain = 0x0D
        case UInt8(ascii: "t"): plain = 0x09
        case UInt8(ascii: "u"): return try unicodeEscape()
        default: throw failure(.invalidEscape)
        }
        position += 2
        scratch.append(plain)
    }

    private mutating func unicodeEscape() throws(JSONError) {
        let unit = try codeUnit(at: position)
        switch unit {
        case 0xD800...0xDBFF:
            let isFollowed =
                position + 7 < count && byte(at: position + 6) == UInt8(ascii: "\\")
                && byte(at: position + 7) == UInt8(ascii: "u")
            guard isFollowed else { throw failure(.loneSurrogate) }
            let low = try codeUnit(at: position + 6)
            guard (0xDC00...0xDFFF).contains(low) else { throw failure(.loneSurrogate) }
            append(scalar: 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
            position += 12
        case 0xDC00...0xDFFF: throw failure(.loneSurrogate)
        default:
            append(scalar: unit)
            position += 6
        }
    }

    /// The value of the four digits of the `\u` escape at `index`.
    private func codeUnit(at index: Int) throws(JSONError) -> UInt32 {
        guard index + 6 <= count else { throw JSONError(.unexpectedEnd, offset: index) }
        var unit: UInt32 = 0
        for digit in 2..<6 {
            let character = byte(at: index + digit)
            let value: UInt8
            switch character {
            case 0x30...0x39: value = character - 0x30
            case 0x41...0x46: value = character - 0x41 + 10
            case 0x61...0x66: value = character - 0x61 + 10
            default: throw JSONError(.invalidEscape, offset: index)
            }
            unit = unit << 4 | UInt32(value)
        }
        return unit
    }

    private mutating func append(scalar value: UInt32) {
        guard let scalar = Unicode.Scalar(value) else { return }
        scratch.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }
}

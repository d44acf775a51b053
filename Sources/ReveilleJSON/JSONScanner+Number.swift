extension JSONScanner {
    /// Reads a number from its first byte, a minus sign or a digit.
    ///
    /// A whole number is exact or refused; any other keeps its text.
    mutating func number() throws(JSONError) -> JSONValue {
        let first = position
        let isNegative = byte(at: position) == UInt8(ascii: "-")
        if isNegative { position += 1 }
        let magnitude = try integerPart()
        if position < count {
            switch byte(at: position) {
            case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): return try fractional(from: first)
            default: break
            }
        }
        // An integer has no negative zero.
        if isNegative, magnitude == 0 { return try literal(from: first) }
        let value = magnitude.flatMap { isNegative ? Int64(exactly: 0 - Int128($0)) : Int64(exactly: $0) }
        guard let value else { throw JSONError(.numberOutOfRange, offset: first) }
        return .integer(value)
    }

    /// Reads the digits before a fraction or exponent; nil when they need more than 64 bits.
    private mutating func integerPart() throws(JSONError) -> UInt64? {
        guard position < count else { throw failure(.unexpectedEnd) }
        let firstDigit = byte(at: position)
        guard (0x30...0x39).contains(firstDigit) else { throw failure(.invalidNumber) }
        var magnitude: UInt64 = 0
        var overflows = false
        let start = position
        while position < count, case let digit = byte(at: position), (0x30...0x39).contains(digit) {
            let (product, high) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(digit - 0x30))
            overflows = overflows || high || carry
            magnitude = sum
            position += 1
        }
        guard firstDigit != 0x30 || position == start + 1 else {
            throw JSONError(.invalidNumber, offset: start)
        }
        return overflows ? nil : magnitude
    }

    /// Reads fraction and exponent of the number that starts at `first`.
    private mutating func fractional(from first: Int) throws(JSONError) -> JSONValue {
        if position < count, byte(at: position) == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        if position < count, byte(at: position) | 0x20 == UInt8(ascii: "e") {
            position += 1
            if position < count {
                switch byte(at: position) {
                case UInt8(ascii: "+"), UInt8(ascii: "-"): position += 1
                default: break
                }
            }
            try digits()
        }
        return try literal(from: first)
    }

    private func literal(from first: Int) throws(JSONError) -> JSONValue {
        let text = String(
            decoding: UnsafeRawBufferPointer(start: start + first, count: position - first),
            as: UTF8.self)
        guard let number = JSONNumber(checked: text) else {
            throw JSONError(.numberOutOfRange, offset: first)
        }
        return .number(number)
    }

    /// Reads one digit or more.
    private mutating func digits() throws(JSONError) {
        guard position < count else { throw failure(.unexpectedEnd) }
        guard (0x30...0x39).contains(byte(at: position)) else { throw failure(.invalidNumber) }
        while position < count, (0x30...0x39).contains(byte(at: position)) { position += 1 }
    }
}

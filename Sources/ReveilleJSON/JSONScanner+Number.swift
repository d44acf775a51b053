extension JSONScanner {
    /// Reads a number from its first byte, a minus sign or a digit.
    mutating func number() throws(JSONError) -> JSONValue {
        let first = position
        let isNegative = byte(at: position) == UInt8(ascii: "-")
        if isNegative { position += 1 }
        guard let magnitude = try integerPart() else {
            return try floatingPoint(from: first)
        }
        let value =
            isNegative ? Int64(exactly: 0 - Int128(magnitude)) : Int64(exactly: magnitude)
        if let value { return .integer(value) }
        return .number(Double(magnitude) * (isNegative ? -1 : 1))
    }

    /// Reads the digits before a fraction or exponent; nil when one follows or the digits need more than 64 bits.
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
        if position < count {
            switch byte(at: position) {
            case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): return nil
            default: break
            }
        }
        return overflows ? nil : magnitude
    }

    /// Reads fraction and exponent, and gives all from `first` to the standard library's conversion.
    private mutating func floatingPoint(from first: Int) throws(JSONError) -> JSONValue {
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
        let text = String(
            decoding: UnsafeRawBufferPointer(start: start + first, count: position - first),
            as: UTF8.self)
        guard let value = Double(text), value.isFinite else {
            throw JSONError(.numberOutOfRange, offset: first)
        }
        return .number(value)
    }

    /// Reads one digit or more.
    private mutating func digits() throws(JSONError) {
        guard position < count else { throw failure(.unexpectedEnd) }
        guard (0x30...0x39).contains(byte(at: position)) else { throw failure(.invalidNumber) }
        while position < count, (0x30...0x39).contains(byte(at: position)) { position += 1 }
    }
}

/// What the octets of a URL are, by ASCII alone.
enum ASCIILetters {
    static func isDigit(_ octet: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet) }

    static func isLetterOrDigit(_ octet: UInt8) -> Bool {
        isDigit(octet) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lowered(octet))
    }

    static func lowered(_ octet: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(octet) ? octet | 0x20 : octet
    }

    static func hexadecimalValue(of octet: UInt8) -> UInt8? {
        let lowered = lowered(octet)
        if isDigit(octet) { return octet - UInt8(ascii: "0") }
        return (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(lowered) ? lowered - UInt8(ascii: "a") + 10 : nil
    }
}

/// Numbers written as people write them: decimal digits, no sign, no leading zero.
enum DecimalNumber {
    static func read(_ digits: ArraySlice<UInt8>, maximum: Int) -> Int? {
        guard !digits.isEmpty, digits.allSatisfy(ASCIILetters.isDigit) else { return nil }
        guard digits.count == 1 || digits.first != UInt8(ascii: "0") else { return nil }
        var number = 0
        for digit in digits {
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
            // Before it can overflow.
            if number > maximum { return nil }
        }
        return number
    }
}

import ReveilleBytes

/// One pass over a text in memory: the structure.
///
/// Strings and numbers are in extensions.
///
/// It lives within one call of `JSONReader.parse`, which lends the memory.
struct JSONScanner {
    let start: UnsafeRawPointer
    let count: Int
    var position = 0
    private let maximumDepth: Int
    private var elementsLeft: Int
    /// Room for strings with escapes, used again and again.
    var scratch: [UInt8] = []

    /// Room for so many elements is made at once.
    private static let usualElements = 4
    /// Up to so many members a duplicate is looked for by comparing; beyond, in a set.
    private static let smallObject = 8

    init(start: UnsafeRawPointer, count: Int, limits: JSONLimits) {
        self.start = start
        self.count = count
        maximumDepth = limits.maximumDepth
        elementsLeft = limits.maximumElements
    }

    @inline(__always)
    func byte(at index: Int) -> UInt8 {
        start.load(fromByteOffset: index, as: UInt8.self)
    }

    func failure(_ code: JSONError.Code) -> JSONError {
        JSONError(code, offset: position)
    }

    func refuseByteOrderMark() throws(JSONError) {
        guard count >= 3, byte(at: 0) == 0xEF, byte(at: 1) == 0xBB, byte(at: 2) == 0xBF else {
            return
        }
        throw failure(.byteOrderMark)
    }

    mutating func finish() throws(JSONError) {
        skipBlanks()
        guard position == count else { throw failure(.trailingBytes) }
    }

    @inline(__always)
    mutating func skipBlanks() {
        while position < count {
            switch byte(at: position) {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    /// The next byte that is not blank, which stays unread.
    @inline(__always)
    private mutating func peek() throws(JSONError) -> UInt8 {
        skipBlanks()
        guard position < count else { throw failure(.unexpectedEnd) }
        return byte(at: position)
    }

    mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        let first = try peek()
        guard elementsLeft > 0 else { throw failure(.tooManyElements) }
        elementsLeft -= 1
        switch first {
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "{"): return .object(try object(depth: depth))
        case UInt8(ascii: "["): return .array(try array(depth: depth))
        case UInt8(ascii: "t"):
            try word("true")
            return .boolean(true)
        case UInt8(ascii: "f"):
            try word("false")
            return .boolean(false)
        case UInt8(ascii: "n"):
            try word("null")
            return .null
        case UInt8(ascii: "-"), 0x30...0x39: return try number()
        default: throw failure(.unexpectedByte)
        }
    }

    private mutating func word(_ word: StaticString) throws(JSONError) {
        for index in 0..<word.utf8CodeUnitCount {
            guard position < count else { throw failure(.unexpectedEnd) }
            guard byte(at: position) == word.utf8Start[index] else {
                throw failure(.unexpectedByte)
            }
            position += 1
        }
    }

    private mutating func array(depth: Int) throws(JSONError) -> [JSONValue] {
        guard depth < maximumDepth else { throw failure(.tooDeep) }
        position += 1
        if try peek() == UInt8(ascii: "]") {
            position += 1
            return []
        }
        var elements: [JSONValue] = []
        elements.reserveCapacity(Self.usualElements)
        while true {
            elements.append(try value(depth: depth + 1))
            switch try peek() {
            case UInt8(ascii: ","): position += 1
            case UInt8(ascii: "]"):
                position += 1
                return elements
            default: throw failure(.unexpectedByte)
            }
        }
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONObject {
        guard depth < maximumDepth else { throw failure(.tooDeep) }
        position += 1
        if try peek() == UInt8(ascii: "}") {
            position += 1
            return JSONObject()
        }
        var members: [JSONObject.Member] = []
        members.reserveCapacity(Self.smallObject)
        var seen: Set<ExactText> = []
        while true {
            guard try peek() == UInt8(ascii: "\"") else { throw failure(.unexpectedByte) }
            let keyStart = position
            let key = try string()
            guard Self.isNew(key, among: members, &seen) else {
                throw JSONError(.duplicateKey, offset: keyStart)
            }
            guard try peek() == UInt8(ascii: ":") else { throw failure(.unexpectedByte) }
            position += 1
            members.append((key: key, value: try value(depth: depth + 1)))
            switch try peek() {
            case UInt8(ascii: ","): position += 1
            case UInt8(ascii: "}"):
                position += 1
                return JSONObject(members: members)
            default: throw failure(.unexpectedByte)
            }
        }
    }

    private static func isNew(
        _ key: String, among members: [JSONObject.Member], _ seen: inout Set<ExactText>
    ) -> Bool {
        if members.count < smallObject { return !members.contains { ExactText.equal($0.key, key) } }
        if seen.isEmpty { seen = Set(members.map { ExactText($0.key) }) }
        return seen.insert(ExactText(key)).inserted
    }
}

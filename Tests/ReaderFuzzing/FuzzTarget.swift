/// A reader of bytes that strangers send, with what must hold for every input.
///
/// The same targets run under a fuzzer, which looks for inputs that break a property, and in the tests, which repeat the
/// known inputs and mutations of them.
package struct FuzzTarget: Sendable, CustomStringConvertible {
    /// How the command line and the corpus file call it.
    package let name: String
    /// Inputs to start from.
    package let seeds: [[UInt8]]
    /// Pieces that mean something to the reader.
    package let words: [[UInt8]]
    /// Reads an input in every way and compares.
    package let check: @Sendable ([UInt8]) throws(BrokenProperty) -> Verdict

    package var description: String { name }

    /// What the reader made of an input.
    package enum Verdict: Sendable, Hashable {
        /// Something was read, and nothing was wrong with it.
        case accepted
        /// Nothing is wrong so far, but nothing is complete.
        case incomplete
        /// The input was refused, with the reader's stable word for it.
        case refused(String)
    }

    /// Every target.
    package static let all: [FuzzTarget] = [
        http1Request, http1Response, http2Server, http2Client, json, keyFile,
    ]

    /// The target with a name.
    package static func named(_ name: String) -> FuzzTarget? {
        all.first { $0.name == name }
    }
}

/// A property that an input broke.
package struct BrokenProperty: Error, CustomStringConvertible {
    /// What should have held.
    package let description: String

    /// Describes what should have held.
    package init(_ description: String) { self.description = description }
}

/// Throws unless something holds.
func demand(
    _ holds: Bool, _ description: @autoclosure () -> String
) throws(BrokenProperty) {
    guard holds else { throw BrokenProperty(description()) }
}

/// Where to split an input, from the input itself, so that a finding is its bytes and nothing else.
enum Splits {
    /// Up to this many bytes an input is also given byte by byte.
    static let longestByteByByte = 600

    /// Lists of ascending places inside the input.
    static func places(in bytes: [UInt8]) -> [[Int]] {
        guard bytes.count > 1 else { return [] }
        var state: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
        func next() -> Int {
            state = (state ^ (state >> 29)) &* 0xBF58_476D_1CE4_E5B9
            return 1 + Int(state >> 33) % (bytes.count - 1)
        }
        var lists = [[next()], Set([next(), next(), next()]).sorted()]
        if bytes.count <= longestByteByByte { lists.append([Int](1..<bytes.count)) }
        return lists
    }

    /// The pieces between the places.
    static func pieces(of bytes: [UInt8], at places: [Int]) -> [ArraySlice<UInt8>] {
        var start = 0
        return (places + [bytes.count]).map { end in
            defer { start = end }
            return bytes[start..<end]
        }
    }
}

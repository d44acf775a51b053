import Testing

/// What is wrong with a file, and the words that say so.
struct WrongFile: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let words: String
    let make: @Sendable (_ path: String) throws -> Void

    init(_ name: String, says words: String, _ make: @escaping @Sendable (String) throws -> Void) {
        testDescription = name
        self.words = words
        self.make = make
    }
}

/// What a member of a request must be, in words of the program: fixed sentences and the words of closed sets.
///
/// It cannot be made from a text of the request, so that no error repeats one.
package struct FieldExplanation: Sendable, Hashable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The end of a sentence that begins with the member's name.
    package let description: String

    /// A fixed sentence.
    package init(_ sentence: StaticString) {
        description = sentence.description
    }

    /// A fixed sentence.
    package init(stringLiteral sentence: StaticString) {
        self.init(sentence)
    }

    /// Lists the words that may stand there, and what else may.
    package init<Word: CaseIterable & RawRepresentable<String>>(oneOf type: Word.Type, or other: StaticString? = nil) {
        self.init(oneOf: Array(type.allCases), or: other)
    }

    /// Lists the words that may stand there, and what else may.
    package init(oneOf words: [some RawRepresentable<String>], or other: StaticString? = nil) {
        let choices = words.map { "`\($0.rawValue)`" } + (other.map { [$0.description] } ?? [])
        let list = choices.dropLast().joined(separator: ", ")
        description = "must be \(list)\(list.isEmpty ? "" : " or ")\(choices.last ?? "left out")"
    }
}

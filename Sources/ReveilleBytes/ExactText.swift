/// A text that is what its UTF-8 octets are: keys of JSON (RFC 8259 section 8.3), and every identifier that comes from outside.
///
/// Swift's own equality is that of Unicode's canonical equivalence: it takes a composed é for a decomposed one and a Kelvin
/// sign for a K, where the store, providers and peers see different identifiers.
package struct ExactText: Hashable, Sendable {
    /// The text.
    package let text: String

    /// The text as it is.
    package init(_ text: String) { self.text = text }

    package static func == (left: ExactText, right: ExactText) -> Bool {
        equal(left.text, right.text)
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// Whether both have the same octets.
    package static func equal(_ left: String, _ right: String) -> Bool {
        // Equal texts of equal length may still differ, as when combining marks stand in another order; unequal ones never agree.
        left.utf8.count == right.utf8.count && left == right && left.utf8.elementsEqual(right.utf8)
    }
}

extension Sequence<String> {
    /// Whether a text of exactly these octets is among them.
    package func containsExactly(_ text: String) -> Bool {
        contains { ExactText.equal($0, text) }
    }
}

/// A number with a fraction or an exponent, or a negative zero, as it was written.
///
/// Its text is kept, so that a value that is only passed on comes back octet by octet; `1.50` and `1.5` are two texts.
package struct JSONNumber: Sendable, Hashable {
    /// The number as RFC 8259 section 6 writes it.
    package let text: String
    /// The nearest 64-bit floating-point number; finite.
    package let double: Double

    /// A number of the program; nil for infinity and what is not a number, for which JSON has no word.
    package init?(_ double: Double) {
        guard double.isFinite else { return nil }
        self.double = double
        text = double.description
    }

    /// A number that the scanner has found well-formed; nil when it is beyond what a double holds.
    init?(checked text: String) {
        guard let double = Double(text), double.isFinite else { return nil }
        self.text = text
        self.double = double
    }
}

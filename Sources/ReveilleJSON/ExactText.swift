/// A text that is compared by its UTF-8 bytes, as RFC 8259 section 8.3 wants it for keys.
///
/// Swift's own equality is that of Unicode: it takes a Kelvin sign for a K.
struct ExactText: Hashable {
    let text: String

    static func == (left: ExactText, right: ExactText) -> Bool {
        equal(left.text, right.text)
    }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// Whether both have the same bytes.
    static func equal(_ left: String, _ right: String) -> Bool {
        // Equal texts of equal length may still differ, as when combining marks stand in another order; unequal ones never agree.
        left.utf8.count == right.utf8.count && left == right && left.utf8.elementsEqual(right.utf8)
    }
}

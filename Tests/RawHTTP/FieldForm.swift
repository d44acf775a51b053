/// How one field of a header block is represented (RFC 7541 section 6).
package enum FieldForm: Sendable, Equatable {
    /// A reference to an entry of the table.
    case indexed
    /// A literal that enters the table.
    case addedToTable
    /// A literal that does not.
    case withoutIndexing
    /// A literal that no hop may put into a table.
    case neverIndexed
    /// A new size of the table, no field.
    case tableSize

    /// The forms of a whole block, in order.
    package static func forms(in block: [UInt8]) -> [FieldForm] {
        var rest = block[...]
        var forms: [FieldForm] = []
        while let first = rest.first {
            let form: (FieldForm, prefix: Int, hasText: Bool) =
                first & 0x80 != 0
                ? (.indexed, 7, false)
                : first & 0x40 != 0
                    ? (.addedToTable, 6, true)
                    : first & 0x20 != 0
                        ? (.tableSize, 5, false)
                        : first & 0x10 != 0 ? (.neverIndexed, 4, true) : (.withoutIndexing, 4, true)
            let index = number(&rest, prefix: form.prefix)
            if form.hasText {
                if index == 0 { skipText(&rest) }
                skipText(&rest)
            }
            forms.append(form.0)
        }
        return forms
    }

    private static func number(_ rest: inout ArraySlice<UInt8>, prefix: Int) -> Int {
        let mask = 1 << prefix - 1
        guard let first = rest.popFirst() else { return 0 }
        var value = Int(first) & mask
        guard value == mask else { return value }
        var shift = 0
        while let next = rest.popFirst() {
            value += Int(next & 0x7F) << shift
            shift += 7
            if next & 0x80 == 0 { break }
        }
        return value
    }

    private static func skipText(_ rest: inout ArraySlice<UInt8>) {
        let count = number(&rest, prefix: 7)
        rest = rest.dropFirst(count)
    }
}

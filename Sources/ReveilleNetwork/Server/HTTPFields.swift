package import ReveilleBytes

/// The fields of a request or response, in order, with names in lower case.
///
/// Text that could end a field cannot be expressed; see `FieldList`. Lookups ignore the case of the name they are given.
package struct HTTPFields: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// The bytes behind the fields, for readers and writers of the wire.
    package var list: FieldList

    /// No fields.
    package init() { list = FieldList() }

    /// Takes over fields that a reader found.
    package init(_ list: FieldList) { self.list = list }

    package init(dictionaryLiteral elements: (String, String)...) {
        list = FieldList()
        for (name, value) in elements { list.append(name, value) }
    }

    /// The first value of a name; the others are reached by `values`.
    package subscript(name: String) -> String? { list[Self.lowerCased(name)] }

    /// Every value of a name, in order.
    package func values(_ name: String) -> [String] { list.values(Self.lowerCased(name)) }

    /// How many fields there are.
    package var count: Int { list.count }

    /// Whether there are no fields.
    package var isEmpty: Bool { list.isEmpty }

    /// Adds a field behind the others.
    package mutating func add(_ name: String, _ value: String) { list.append(name, value) }

    /// Adds a field whose value must not be remembered by header compression: a credential or an address.
    package mutating func addSensitive(_ name: String, _ value: String) {
        list.append(name, value, isSensitive: true)
    }

    /// Replaces every field of a name by one.
    package mutating func set(_ name: String, _ value: String) {
        remove(name)
        add(name, value)
    }

    /// Removes every field of a name.
    package mutating func remove(_ name: String) { list.removeAll(named: Self.lowerCased(name)) }

    /// Each field in order, as text.
    package var pairs: [(name: String, value: String)] {
        list.indices.map { (list.name(at: $0), list.value(at: $0)) }
    }

    private static func lowerCased(_ name: String) -> String {
        name.utf8.contains { $0 >= 0x41 && $0 <= 0x5A } ? name.lowercased() : name
    }
}

import ReveilleBytes

/// The members of a JSON object in the order they were written.
///
/// Two objects are equal when they have the same members in any order. Keys are unique: the reader refuses duplicates, and
/// setting a key replaces its value.
package struct JSONObject: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// One member.
    package typealias Member = (key: String, value: JSONValue)

    /// The members in order.
    package private(set) var members: [Member]

    /// An object without members.
    package init() {
        members = []
    }

    /// An object with `members`, whose keys must differ.
    package init(members: [Member]) {
        self.members = members
    }

    /// An object with the members in the order written.
    package init(dictionaryLiteral members: (String, JSONValue)...) {
        self.members = members.map { (key: $0.0, value: $0.1) }
    }

    /// How many members there are.
    package var count: Int { members.count }
    /// Whether there is no member.
    package var isEmpty: Bool { members.isEmpty }
    /// The keys in order.
    package var keys: [String] { members.map(\.key) }

    /// The value of `key`, compared byte by byte in UTF-8: Swift's own equality would take a Kelvin sign for a K.
    ///
    /// Setting adds at the end, or replaces in place; setting nil removes.
    package subscript(key: String) -> JSONValue? {
        get { index(of: key).map { members[$0].value } }
        set {
            let index = index(of: key)
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append((key: key, value: value))
            case (nil, nil): break
            }
        }
    }

    /// Where the member `key` stands.
    func index(of key: String) -> Int? {
        members.firstIndex { ExactText.equal($0.key, key) }
    }

    package static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.count == right.count else { return false }
        if zip(left.members, right.members).allSatisfy({ ExactText.equal($0.key, $1.key) }) {
            return zip(left.members, right.members).allSatisfy { $0.value == $1.value }
        }
        let values = Dictionary(right.members.map { (ExactText($0.key), $0.value) }) { first, _ in first }
        return left.members.allSatisfy { values[ExactText($0.key)] == $0.value }
    }
}

package import ReveilleRuntime

/// The canaries of a run, and which of them were sent.
package final class CanarySet: Sendable {
    /// Letters and digits in both cases, so that folding and every encoding show.
    private static let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789".utf8)

    private let made: [PrivateField: Canary]
    private let found = Locked<[Canary]>([])
    private let sent = Locked<Set<PrivateField>>([])

    /// Makes one canary for each field.
    ///
    /// - Parameter plants: fields whose canary is to be found where another field's is, to plant leaks on a live road.
    package init(random: any RandomSource, plants: [PrivateField: PrivateField] = [:]) {
        var made: [PrivateField: Canary] = [:]
        for field in PrivateField.allCases {
            // The first is always a letter: topics and names may not begin with a digit.
            let mark = (0..<Canary.markLetters).map { position in
                Self.alphabet[random.uniform(0..<(position == 0 ? 49 : Self.alphabet.count))]
            }
            made[field] = Canary(field, mark: mark, octets: random.bytes(32))
        }
        for (field, place) in plants { made[field] = made[place].map { Canary(field, like: $0) } }
        self.made = made
    }

    /// The text of a field, which now counts as sent.
    package func send(_ field: PrivateField) -> String {
        sent.withLock { _ = $0.insert(field) }
        return made[field]?.text ?? ""
    }

    /// Keeps a secret that something else made.
    package func keep(_ field: PrivateField, _ text: String) {
        sent.withLock { _ = $0.insert(field) }
        found.withLock { $0.append(Canary(field, found: text)) }
    }

    /// Everything to search for.
    package var all: [Canary] { made.values.sorted { $0.field.rawValue < $1.field.rawValue } + found.withLock { $0 } }

    /// Fields that nothing was sent of.
    package var unsent: [PrivateField] {
        let sent = sent.withLock { $0 }
        return PrivateField.allCases.filter { !sent.contains($0) }
    }
}

internal import ReveilleBytes
internal import ReveilleCore
internal import ReveilleSQLite
internal import ReveilleStorage

/// The numbers of lanes and topics and what they stand for, as one connection knows them.
///
/// Neither is ever deleted or changed, so what was read stays true. Their number is bounded by the operator's settings.
final class LaneDirectory {
    private let statements: StatementCache
    private var lanes: [LaneKey: Int64] = [:]
    private var keys: [Int64: LaneKey] = [:]
    private var topics: [ExactText: Int64] = [:]
    private var names: [Int64: String] = [:]

    init(_ statements: StatementCache) {
        self.statements = statements
    }

    /// Forgets everything; rows that a transaction made are gone when it is rolled back.
    func forget() {
        lanes = [:]
        keys = [:]
        topics = [:]
        names = [:]
    }

    /// The number of a lane; nil when it has none yet.
    func number(of key: LaneKey) throws -> Int64? {
        if let number = lanes[key] { return number }
        let find = try statements["SELECT id FROM lane WHERE provider = ?1 AND place = ?2 AND credential = ?3"]
        find.bind(1, key.provider.rawValue)
        find.bind(2, key.destination.place)
        find.bind(3, key.credential)
        guard let number = try find.first({ $0.integer(0) }) else { return nil }
        remember(key, number)
        return number
    }

    /// The number of a lane, given now when it has none.
    func numberMaking(_ key: LaneKey) throws -> Int64 {
        if let number = try number(of: key) { return number }
        let insert = try statements[
            "INSERT INTO lane (provider, place, credential) VALUES (?1, ?2, ?3) RETURNING id"]
        insert.bind(1, key.provider.rawValue)
        insert.bind(2, key.destination.place)
        insert.bind(3, key.credential)
        guard let number = try insert.first({ $0.integer(0) }) else { throw StoreError(.programming) }
        remember(key, number)
        return number
    }

    /// The lane of a number.
    func key(of number: Int64) throws -> LaneKey {
        if let key = keys[number] { return key }
        let find = try statements["SELECT provider, place, credential FROM lane WHERE id = ?1"]
        find.bind(1, number)
        let words = try find.first { ($0.text(0), $0.text(1), $0.text(2)) }
        guard let words, let provider = ProviderKind(rawValue: words.0),
            let destination = LaneDestination(provider: provider, place: words.1)
        else { throw StoreError(.corrupt) }
        let key = LaneKey(destination, credential: words.2)
        remember(key, number)
        return key
    }

    /// The number of a topic; nil when it has none yet.
    func number(ofTopic name: String) throws -> Int64? {
        if let number = topics[ExactText(name)] { return number }
        let find = try statements["SELECT id FROM topic WHERE name = ?1"]
        find.bind(1, name)
        guard let number = try find.first({ $0.integer(0) }) else { return nil }
        remember(topic: name, number)
        return number
    }

    /// The number of a topic, given now when it has none.
    func numberMaking(topic name: String) throws -> Int64 {
        if let number = try number(ofTopic: name) { return number }
        let insert = try statements["INSERT INTO topic (name) VALUES (?1) RETURNING id"]
        insert.bind(1, name)
        guard let number = try insert.first({ $0.integer(0) }) else { throw StoreError(.programming) }
        remember(topic: name, number)
        return number
    }

    /// The topic of a number.
    func topic(of number: Int64) throws -> String {
        if let name = names[number] { return name }
        let find = try statements["SELECT name FROM topic WHERE id = ?1"]
        find.bind(1, number)
        guard let name = try find.first({ $0.text(0) }) else { throw StoreError(.corrupt) }
        remember(topic: name, number)
        return name
    }

    private func remember(_ key: LaneKey, _ number: Int64) {
        lanes[key] = number
        keys[number] = key
    }

    private func remember(topic name: String, _ number: Int64) {
        topics[ExactText(name)] = number
        names[number] = name
    }
}

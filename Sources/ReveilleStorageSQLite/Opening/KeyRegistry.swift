internal import ReveilleCore
internal import ReveilleSQLite
internal import ReveilleStorage

/// The generations of master keys that a store knows by their check values.
enum KeyRegistry {
    /// Matches the operator's keys with the generations in the store, inside the caller's transaction.
    ///
    /// An empty store takes the current key as generation 1. A current key that the store does not know becomes the next
    /// generation if the key of the present generation is given as a former one. Every generation that values may still be
    /// sealed under must be given.
    ///
    /// - Parameter mayIntroduce: false leaves the store's present key as it is when the current one is new to it.
    /// - Throws: `wrongKey`, naming the check values that are needed and those that were given.
    static func match(
        _ keys: MasterKeys, in connection: SQLiteConnection, mayIntroduce: Bool, now: Int64
    ) throws -> KeyRing {
        var known = try connection.prepare("SELECT generation, check_value FROM master_key ORDER BY generation")
            .map { (generation: $0.integer(0), check: $0.text(1)) }
        let given = keys.all.map(\.checkValue)
        let needed = known.map(\.check)
        let mismatch = StoreError(.wrongKey, keys: StoreError.KeyMismatch(needed: needed, given: given))
        guard needed.allSatisfy({ given.contains($0) }) else { throw mismatch }
        if known.last?.check != keys.current.checkValue {
            // A key that was in use before its successor does not come back.
            guard !needed.contains(keys.current.checkValue) else { throw mismatch }
        }
        if known.isEmpty || mayIntroduce, known.last?.check != keys.current.checkValue {
            let generation = (known.last?.generation ?? 0) + 1
            let insert = try connection.prepare(
                "INSERT INTO master_key (generation, check_value, added_at) VALUES (?1, ?2, ?3)")
            insert.bind(1, generation)
            insert.bind(2, keys.current.checkValue)
            insert.bind(3, now)
            try insert.run()
            known.append((generation, keys.current.checkValue))
        }
        var masters: [UInt16: MasterKey] = [:]
        for (generation, check) in known {
            guard let number = UInt16(exactly: generation) else { throw StoreError(.corrupt) }
            masters[number] = keys.all.first { $0.checkValue == check }
        }
        guard let last = known.last, let present = UInt16(exactly: last.generation),
            let ring = KeyRing(masters, generation: present)
        else { throw mismatch }
        return ring
    }
}

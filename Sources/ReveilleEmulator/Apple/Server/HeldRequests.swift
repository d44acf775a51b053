/// Requests whose answers wait for a word, oldest first.
struct HeldRequests {
    /// One of them.
    struct Entry {
        let connection: Int
        let stream: Int32
        let token: String?
        let fault: String
    }

    private var entries: [Entry] = []

    /// Adds a request.
    ///
    /// Bounded by the streams of the connections.
    mutating func append(_ entry: Entry) {
        entries.append(entry)
    }

    /// Takes out the oldest ones that are wanted.
    mutating func take(limit: Int, where isWanted: (Entry) -> Bool) -> [Entry] {
        var taken: [Entry] = []
        entries.removeAll { entry in
            guard taken.count < limit, isWanted(entry) else { return false }
            taken.append(entry)
            return true
        }
        return taken
    }
}

internal import ReveilleHTTP2

/// What can be done to connections from outside.
extension AppleWorld {
    /// Sends GOAWAY on one connection, or on all; returns on how many.
    func goAway(_ plan: GoAwayPlan, connection number: Int?) -> Int {
        forEachConnection(number) { connection in
            connection.goAway(plan)
        }
    }

    /// Announces a limit of streams on one connection, or on all that come and all that have shown a valid token; returns
    /// on how many.
    func setStreamLimit(_ limit: Int, connection number: Int?) -> Int {
        if number == nil { streamLimit = limit }
        return forEachConnection(number) { connection in
            if number != nil {
                connection.announce(limit: limit)
            } else {
                connection.announceLimit()
            }
        }
    }

    /// Ends one connection, or all; returns how many.
    func dropConnections(_ manner: DropManner, connection number: Int?) -> Int {
        forEachConnection(number) { connection in
            connection.phase = .dropping(manner)
        }
    }

    /// Half-closes one connection, or all; returns how many.
    func halfCloseConnections(connection number: Int?) -> Int {
        forEachConnection(number) { $0.halfClose() }
    }

    /// Lets one connection, or all, fall silent; returns how many.
    func silenceConnections(connection number: Int?) -> Int {
        forEachConnection(number) { $0.fallSilent() }
    }

    private func forEachConnection(_ number: Int?, _ body: (AppleConnection) -> Void) -> Int {
        let candidates =
            if let number { connections[number].map { [$0] } ?? [] } else { Array(connections.values) }
        let chosen = candidates.filter(\.mayAnswer)
        for connection in chosen {
            body(connection)
            connection.send()
        }
        return chosen.count
    }
}

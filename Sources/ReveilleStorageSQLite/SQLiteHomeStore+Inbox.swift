package import ReveilleCore
package import ReveilleStorage

extension SQLiteHomeStore {
    package func changes(
        of profile: ProfileRow, since: Cursor?, limit: Int
    ) async throws(StoreError) -> ChangePage {
        try await readers.read { session in
            try InboxQueries(session).changes(of: profile, since: since, limit: limit)
        }
    }

    package func deliveries(
        of profile: ProfileRow, before: DeliveryRow?, limit: Int
    ) async throws(StoreError) -> [Delivery] {
        try await readers.read { session in
            try InboxQueries(session).deliveries(of: profile, before: before, limit: limit)
        }
    }

    package func delivery(_ row: DeliveryRow, of profile: ProfileRow) async throws(StoreError) -> Delivery? {
        try await readers.read { session in try InboxQueries(session).delivery(row, of: profile) }
    }

    package func markRead(_ row: DeliveryRow, of profile: ProfileRow) async throws(StoreError) -> Bool {
        try await writer.write { transaction in try InboxOperations(transaction).markRead(row, of: profile) }
    }

    package func markAllRead(of profile: ProfileRow, upTo change: Int64?) async throws(StoreError) -> Int64 {
        var progress: InboxOperations.ReadingAll?
        while true {
            let next = try await writer.write { [progress] transaction in
                try InboxOperations(transaction).markAllRead(of: profile, upTo: change, progress)
            }
            if next.isFinished { return next.count }
            // Others have their turn.
            progress = next
        }
    }

    package func recordReceipt(
        _ row: DeliveryRow, by device: DeviceRow, of profile: ProfileRow
    ) async throws(StoreError) -> Bool {
        try await writer.write { transaction in
            try InboxOperations(transaction).recordReceipt(row, by: device, of: profile)
        }
    }

    package func acknowledge(_ cursor: Cursor, by device: DeviceRow) async throws(StoreError) {
        // Clients repeat a cursor at every look: nothing is written when it changes nothing.
        let mayChange = try await readers.read { session in
            try InboxQueries(session).mayChangeSomething(cursor, by: device)
        }
        guard mayChange else { return }
        try await writer.write { transaction in
            try InboxOperations(transaction).acknowledge(cursor, by: device)
        }
    }

    package func epoch(of change: Int64) async throws(StoreError) -> Int64? {
        try await readers.read { session in try CursorEpochs(session.statements).epoch(of: change) }
    }
}

package import ReveilleCore
package import ReveilleStorage

/// What clients read of their inbox, and what they say of it.
package struct InboxReading: Sendable {
    private let store: any InboxStore
    private let publicIDs: PublicIDs
    private let cursors: CursorSeal

    /// Reads from `store`.
    package init(store: any InboxStore, publicIDs: PublicIDs, cursors: CursorSeal) {
        self.store = store
        self.publicIDs = publicIDs
        self.cursors = cursors
    }

    /// The changes after a cursor; without one the newest page.
    ///
    /// A request that names its device and presents a valid cursor cancels that device's wakes which the
    /// cursor covers. The answer itself cancels nothing: it may be lost.
    package func sync(
        since text: String?, limit: Int, by caller: ReaderCaller
    ) async throws(InboxError) -> SyncAnswer {
        let since = try text.map { text throws(InboxError) in try cursor(text, of: caller) }
        let page = try await translating { () throws(StoreError) in
            try await store.changes(of: caller.profile, since: since, limit: limit)
        }
        switch page {
        case .cursorGone: throw InboxError(.cursorGone, field: "since")
        case .page(let changes, let next, let hasMore, let unread, let isReset):
            if let since, let device = caller.device {
                try await translating { () throws(StoreError) in
                    try await store.acknowledge(since, by: device)
                }
            }
            let aliases = aliases(caller)
            return SyncAnswer(
                changes: changes.map { answer($0, aliases) }, cursor: cursors.seal(next),
                hasMore: hasMore, unread: unread, isReset: isReset)
        }
    }

    /// A page of the inbox, newest first, before a delivery.
    package func list(
        before text: String?, limit: Int, by caller: ReaderCaller
    ) async throws(InboxError) -> InboxPage {
        let aliases = aliases(caller)
        var before: DeliveryRow?
        if let text {
            guard let row = aliases.row(text) else {
                throw .invalid("before", "must be the next of an earlier page")
            }
            before = row
        }
        // One more than asked for tells whether there is a next page.
        let found = try await translating { [before] () throws(StoreError) in
            try await store.deliveries(of: caller.profile, before: before, limit: limit + 1)
        }
        let page = found.prefix(limit)
        return InboxPage(
            deliveries: page.map { answer($0, aliases) },
            next: found.count > limit ? page.last.map { aliases.text($0.row) } : nil)
    }

    /// One delivery with its content.
    package func delivery(
        _ id: String, by caller: ReaderCaller
    ) async throws(InboxError) -> DeliveryAnswer {
        let aliases = aliases(caller)
        let row = try row(id, aliases)
        let found = try await translating { () throws(StoreError) in
            try await store.delivery(row, of: caller.profile)
        }
        guard let found else { throw InboxError(.deliveryNotFound) }
        return answer(found, aliases)
    }

    /// Marks a delivery read.
    package func markRead(_ id: String, by caller: ReaderCaller) async throws(InboxError) {
        let row = try row(id, aliases(caller))
        let isThere = try await translating { () throws(StoreError) in
            try await store.markRead(row, of: caller.profile)
        }
        guard isThere else { throw InboxError(.deliveryNotFound) }
    }

    /// Marks all deliveries read, or those up to a cursor; returns how many became so.
    package func markAllRead(
        upTo text: String?, by caller: ReaderCaller
    ) async throws(InboxError) -> Int64 {
        var change: Int64?
        if let text {
            let cursor = try cursor(text, of: caller)
            let epoch = try await translating { () throws(StoreError) in try await store.epoch(of: cursor.change) }
            guard cursor.epoch == epoch else { throw InboxError(.cursorGone, field: "cursor") }
            change = cursor.change
        }
        return try await translating { [change] () throws(StoreError) in
            try await store.markAllRead(of: caller.profile, upTo: change)
        }
    }

    /// Records that the wake of a delivery reached the caller's device.
    package func recordReceipt(_ id: String, by caller: ReaderCaller) async throws(InboxError) {
        guard let device = caller.device else { throw InboxError(.deviceRequired) }
        let row = try row(id, aliases(caller))
        let isThere = try await translating { () throws(StoreError) in
            try await store.recordReceipt(row, by: device, of: caller.profile)
        }
        guard isThere else { throw InboxError(.deliveryNotFound) }
    }

    private func cursor(
        _ text: String, of caller: ReaderCaller
    ) throws(InboxError) -> Cursor {
        guard let cursor = cursors.open(text), cursor.profile == caller.profile else {
            throw InboxError(.cursorGone)
        }
        return cursor
    }

    private func aliases(_ caller: ReaderCaller) -> DeliveryAliases {
        DeliveryAliases(publicIDs: publicIDs, device: caller.device)
    }

    private func row(_ id: String, _ aliases: DeliveryAliases) throws(InboxError) -> DeliveryRow {
        guard let row = aliases.row(id) else { throw InboxError(.deliveryNotFound) }
        return row
    }

    private func answer(_ delivery: Delivery, _ aliases: DeliveryAliases) -> DeliveryAnswer {
        DeliveryAnswer(
            delivery, deliveryID: aliases.text(delivery.row), publicIDs: publicIDs)
    }

    private func answer(_ change: Change, _ aliases: DeliveryAliases) -> ChangeAnswer {
        ChangeAnswer(
            kind: change.kind.word, deliveryID: aliases.text(change.delivery),
            delivery: change.content.map { answer($0, aliases) })
    }
}

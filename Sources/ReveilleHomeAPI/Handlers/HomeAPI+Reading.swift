import ReveilleCore
import ReveilleInbox
import ReveilleJSON

extension HomeAPI {
    /// The longest cursor looked at, in octets; sealed ones are far shorter.
    private static let maximumCursorOctets = 256

    /// Changes after a cursor.
    func sync(_ call: APICall, _ caller: ReaderCaller) async throws -> APIAnswer {
        try call.refuseBody()
        var query = try call.query()
        let since = try query.text("since", maximumOctets: Self.maximumCursorOctets)
        let limit = try query.limit(default: PageSize.changes, maximum: PageSize.maximum)
        try query.finish()
        let page = try await inbox.reading.sync(since: since, limit: limit, by: caller)
        return .json { json in
            json.key("changes")
            json.beginArray()
            for change in page.changes { json.change(change) }
            json.endArray()
            json.member("cursor", page.cursor)
            json.member("has_more", page.hasMore)
            json.member("unread", page.unread)
            json.member("reset", page.isReset)
        }
    }

    /// The inbox, newest first.
    func list(_ call: APICall, _ caller: ReaderCaller) async throws -> APIAnswer {
        try call.refuseBody()
        var query = try call.query()
        let before = try query.text("before", maximumOctets: 64)
        let limit = try query.limit(default: PageSize.deliveries, maximum: PageSize.maximum)
        try query.finish()
        let page = try await inbox.reading.list(before: before, limit: limit, by: caller)
        return .json { json in
            json.key("notifications")
            json.beginArray()
            for delivery in page.deliveries { json.delivery(delivery) }
            json.endArray()
            json.member("next", page.next)
        }
    }

    /// One delivery with its content.
    func delivery(_ call: APICall, _ caller: ReaderCaller) async throws -> APIAnswer {
        try call.refuseBody()
        try call.refuseQuery()
        let delivery = try await inbox.reading.delivery(try call.parameter(0), by: caller)
        return .json { $0.deliveryMembers(delivery) }
    }

    /// Marks one delivery read.
    func markRead(_ call: APICall, _ caller: ReaderCaller) async throws -> APIAnswer {
        try call.refuseFields()
        try await inbox.reading.markRead(try call.parameter(0), by: caller)
        return .noContent
    }

    /// Marks all deliveries read, or those up to a cursor.
    func markAllRead(_ call: APICall, _ caller: ReaderCaller) async throws -> APIAnswer {
        var fields = try call.optionalFields()
        let cursor = try fields.optionalString("cursor", maximumBytes: Self.maximumCursorOctets)
        try fields.finish()
        let count = try await inbox.reading.markAllRead(upTo: cursor, by: caller)
        return .json { $0.member("read", count) }
    }

    /// Records that the wake of a delivery reached the caller's device.
    func receipt(_ call: APICall, _ caller: ReaderCaller) async throws -> APIAnswer {
        try call.refuseFields()
        try await inbox.reading.recordReceipt(try call.parameter(0), by: caller)
        return .noContent
    }

    /// What will really deliver.
    func capability(_ call: APICall, _ caller: ReaderCaller) async throws -> APIAnswer {
        try call.refuseBody()
        try call.refuseQuery()
        let capability = try await inbox.capability.capability()
        return .json { json in
            json.key("apple_push")
            json.beginObject()
            json.member("available", capability.applePushAvailable)
            json.member("provider", capability.appleProvider.rawValue)
            json.member("available_providers", capability.appleAvailableProviders.map(\.rawValue))
            json.member("supported_modes", capability.appleSupportedModes.map(\.rawValue))
            json.member("privacy_mode", "metadata_fetch")
            json.endObject()
            for name in ["unified_push", "web_push"] {
                json.key(name)
                json.beginObject()
                json.member("available", false)
                json.member("vapid_public_key", capability.vapidPublicKey)
                json.endObject()
            }
            for name in Self.laterCapabilities { json.unavailable(name) }
        }
    }

    /// Ways to deliver that this version does not have; it says so instead of leaving them out.
    private static let laterCapabilities = ["in_app", "android_push", "webhooks", "mail"]
}

extension JSONWriter {
    /// Writes a delivery with its content.
    fileprivate mutating func delivery(_ delivery: DeliveryAnswer) {
        beginObject()
        deliveryMembers(delivery)
        endObject()
    }

    /// Writes the members of a delivery.
    fileprivate mutating func deliveryMembers(_ delivery: DeliveryAnswer) {
        member("delivery_id", delivery.deliveryID)
        member("notification_id", delivery.notificationID)
        member("alert", delivery.alert.rawValue)
        member("category", delivery.category)
        member("title", delivery.title)
        member("body", delivery.body)
        key("data")
        data(delivery.data)
        member("series", delivery.series)
        member("created_at", milliseconds: delivery.createdAtMilliseconds)
        member("read", delivery.isRead)
    }

    /// Writes an entry of the log.
    fileprivate mutating func change(_ change: ChangeAnswer) {
        beginObject()
        member("kind", change.kind)
        member("delivery_id", change.deliveryID)
        if let delivery = change.delivery {
            key("notification")
            self.delivery(delivery)
        }
        endObject()
    }

    /// Writes a capability that is not there.
    fileprivate mutating func unavailable(_ name: String) {
        key(name)
        beginObject()
        member("available", false)
        endObject()
    }

    /// Writes a producer's data; it was checked when it was taken.
    private mutating func data(_ bytes: [UInt8]) {
        guard !bytes.isEmpty, let value = try? JSONReader.parse(bytes) else { return null() }
        self.value(value)
    }
}

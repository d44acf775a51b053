import ReveilleCore
import ReveilleInbox
import ReveilleJSON

extension HomeAPI {
    /// Takes a notification; 202 means that it is on disk.
    func notify(_ call: APICall, _ caller: ProducerCaller) async throws -> APIAnswer {
        try call.refuseQuery()
        let draft = try Self.notificationDraft(call)
        let accepted = try await inbox.acceptance.accept(draft, by: caller)
        var json = JSONWriter(reservingCapacity: 160 + 100 * accepted.deliveries.count)
        json.beginObject()
        json.member("notification_id", accepted.notificationID)
        json.member("accepted_at", milliseconds: accepted.acceptedAtMilliseconds)
        json.key("deliveries")
        json.beginArray()
        for delivery in accepted.deliveries {
            json.beginObject()
            json.member("profile_id", delivery.profileID)
            json.member("delivery_id", delivery.deliveryID)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return APIAnswer(status: 202, mediaType: "application/json", body: json.bytes)
    }

    private static func notificationDraft(_ call: APICall) throws -> NotificationDraft {
        var fields = try call.fields()
        var draft = NotificationDraft(
            recipients: try fields.requiredStrings(
                "recipients", maximumCount: NotificationLimits.recipients,
                maximumBytes: NotificationLimits.profileID),
            category: try fields.requiredString("category", maximumBytes: NotificationLimits.category))
        draft.title = try fields.optionalString("title", maximumBytes: NotificationLimits.title) ?? ""
        draft.body = try fields.optionalString("body", maximumBytes: NotificationLimits.body) ?? ""
        if let data = fields.optionalValue("data") { draft.data = try canonical(data) }
        draft.series = try fields.optionalString("series", maximumBytes: NotificationLimits.series)
        draft.alert = try fields.optionalWord("alert", Alert.self)
        draft.ttlSeconds = try fields.optionalInteger("ttl", in: Lifetime.producerTTLSeconds)
        try fields.finish()
        draft.idempotencyKey = try call.field("idempotency-key", named: "Idempotency-Key")
        return draft
    }

    /// The producer's data as compact JSON with sorted keys: one object has one form, whatever order a
    /// producer's serialiser chose this time.
    private static func canonical(_ data: JSONValue) throws -> [UInt8] {
        guard case .object = data else {
            throw JSONFieldError(.notAnObject, at: "data", "must be a JSON object")
        }
        guard let sorted = data.sorted(levels: NotificationLimits.dataDepth) else {
            throw JSONFieldError(.invalidValue, at: "data", "must not be nested deeper than 16 levels")
        }
        let bytes = sorted.encoded()
        guard bytes.count <= NotificationLimits.data else {
            throw JSONFieldError(.tooLong, at: "data", "must not be longer than 32768 octets")
        }
        return bytes
    }
}

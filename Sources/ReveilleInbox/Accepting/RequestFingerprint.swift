import ReveilleCore

/// The octets that an idempotency key is bound to: all parsed fields, each with a tag and its length.
///
/// Spacing, the order of members and escapes of the request do not count; what it asks for does.
struct RequestFingerprint {
    private(set) var octets: [UInt8] = []

    /// The octets of a notification.
    init(_ draft: NotificationDraft) {
        octets.reserveCapacity(256 + draft.body.utf8.count + draft.data.count)
        add(0x01, "notification/1".utf8)
        for recipient in draft.recipients { add(0x02, recipient.utf8) }
        add(0x03, draft.category.utf8)
        add(0x04, draft.title.utf8)
        add(0x05, draft.body.utf8)
        add(0x06, draft.data)
        if let series = draft.series { add(0x07, series.utf8) }
        if let alert = draft.alert { add(0x08, alert.rawValue.utf8) }
        if let ttl = draft.ttlSeconds { add(0x09, String(ttl).utf8) }
    }

    private mutating func add(_ tag: UInt8, _ value: some Collection<UInt8>) {
        let count = UInt32(truncatingIfNeeded: value.count)
        octets.append(tag)
        for shift: UInt32 in [24, 16, 8, 0] {
            octets.append(UInt8(truncatingIfNeeded: count >> shift))
        }
        octets.append(contentsOf: value)
    }
}

package import ReveilleCore

/// A notification as a producer asks for it, in the right types and not yet checked further.
package struct NotificationDraft: Sendable {
    /// Profile ids in the producer's namespace.
    package var recipients: [String]
    package var category: String
    package var title: String
    package var body: String
    /// The producer's own data as compact JSON with sorted keys, empty when absent.
    package var data: [UInt8]
    package var series: String?
    /// What the producer wishes; it may silence, never escalate.
    package var alert: Alert?
    package var ttlSeconds: Int64?
    package var idempotencyKey: String?

    /// Gathers the fields.
    package init(
        recipients: [String], category: String, title: String = "", body: String = "",
        data: [UInt8] = [], series: String? = nil, alert: Alert? = nil, ttlSeconds: Int64? = nil,
        idempotencyKey: String? = nil
    ) {
        self.recipients = recipients
        self.category = category
        self.title = title
        self.body = body
        self.data = data
        self.series = series
        self.alert = alert
        self.ttlSeconds = ttlSeconds
        self.idempotencyKey = idempotencyKey
    }

    /// Holds the rules that types and lengths do not.
    func check() throws(InboxError) {
        guard (1...NotificationLimits.recipients).contains(recipients.count) else {
            throw .invalid("recipients", "must name 1 to 1000 profiles")
        }
        for recipient in recipients {
            try FieldRules.profileID(recipient, "recipients")
        }
        try FieldRule.unique(recipients, "recipients")
        try FieldRules.category(category)
        try FieldRule.prose(title, "title")
        try FieldRule.prose(body, "body")
        if let series {
            try FieldRule.length(series, NotificationLimits.series, "series")
            try FieldRule.line(series, "series")
        }
        if let ttlSeconds, !Lifetime.producerTTLSeconds.contains(ttlSeconds) {
            throw .invalid("ttl", "must be a number of seconds from 60 to 2419200")
        }
        if let idempotencyKey { try IdempotencyKey.check(idempotencyKey) }
    }
}

/// The rule for the `Idempotency-Key` field (draft-ietf-httpapi-idempotency-key-header).
enum IdempotencyKey {
    /// Demands 1 to 255 printable ASCII characters.
    static func check(_ key: String) throws(InboxError) {
        guard
            (1...NotificationLimits.idempotencyKey).contains(key.utf8.count),
            key.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else {
            throw .invalid("Idempotency-Key", "must be 1 to 255 printable ASCII characters")
        }
    }
}

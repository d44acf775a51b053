package import ReveilleCore

/// Takes notifications: the one transaction behind a 202.
package protocol AcceptingStore: Sendable {
    /// Stores the notification, its deliveries, changes and wakes, and its idempotency key.
    ///
    /// Profiles that do not exist yet are made: their inbox waits for them. Wakes for which the lane
    /// has room are leased at insert and handed to the intake after the commit; the rest waits.
    func accept(_ post: NotificationPost) async throws(StoreError) -> AcceptResult
}

/// A notification as a producer posted it, checked and with its alert decided.
package struct NotificationPost: Sendable {
    /// Who posts it; recipients are profiles in its namespace.
    package var producer: ProducerRow
    /// Profile ids, without repeats, 1 … 1 000.
    package var recipients: [String]
    package var category: String
    package var title: String
    package var body: String
    /// The producer's own data as compact JSON, empty when absent.
    package var data: [UInt8]
    /// What belongs together and may replace itself on screen.
    package var series: String?
    /// Visible or silent, as the server decided.
    package var alert: Alert
    /// The life the producer gave, in seconds.
    package var ttlSeconds: Int64?
    /// The idempotency key with a keyed hash of the parsed request.
    package var idempotency: Idempotency?

    /// Gathers a post.
    package init(
        producer: ProducerRow, recipients: [String], category: String, title: String, body: String,
        data: [UInt8], series: String?, alert: Alert, ttlSeconds: Int64?, idempotency: Idempotency?
    ) {
        self.producer = producer
        self.recipients = recipients
        self.category = category
        self.title = title
        self.body = body
        self.data = data
        self.series = series
        self.alert = alert
        self.ttlSeconds = ttlSeconds
        self.idempotency = idempotency
    }
}

/// An idempotency key and what it was used for.
package struct Idempotency: Hashable, Sendable {
    /// The key as sent, at most 255 octets.
    package let key: String
    /// A hash of the parsed request; the same key with another one is refused.
    package let fingerprint: [UInt8]

    /// Pairs a key with the hash of its request.
    package init(key: String, fingerprint: [UInt8]) {
        self.key = key
        self.fingerprint = fingerprint
    }
}

/// What became of a post.
package enum AcceptResult: Hashable, Sendable {
    /// On disk now.
    case accepted(AcceptedNotification)
    /// On disk since an earlier post with the same key and request.
    case replayed(AcceptedNotification)
    /// The key was used within 24 h for another request.
    case keyUsedForOtherRequest
}

/// The rows behind a 202.
package struct AcceptedNotification: Hashable, Sendable {
    package let notification: NotificationRow
    /// One delivery for each recipient, in the order of the post.
    package let deliveries: [DeliveryRow]
    /// When it was accepted, in milliseconds since 1970.
    package let acceptedAtMilliseconds: Int64

    /// Gathers the rows.
    package init(
        notification: NotificationRow, deliveries: [DeliveryRow], acceptedAtMilliseconds: Int64
    ) {
        self.notification = notification
        self.deliveries = deliveries
        self.acceptedAtMilliseconds = acceptedAtMilliseconds
    }
}

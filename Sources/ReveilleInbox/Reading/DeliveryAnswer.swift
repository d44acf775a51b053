package import ReveilleCore
import ReveilleStorage

/// A delivery with its content, under the ids that the caller may use.
package struct DeliveryAnswer: Hashable, Sendable {
    package let deliveryID: String
    package let notificationID: String
    package let alert: Alert
    package let category: String
    package let title: String
    package let body: String
    /// The producer's own data as compact JSON, empty when absent.
    package let data: [UInt8]
    package let series: String?
    package let createdAtMilliseconds: Int64
    package let isRead: Bool
    package let isRemoved: Bool

    init(_ delivery: Delivery, deliveryID: String, publicIDs: PublicIDs) {
        self.deliveryID = deliveryID
        notificationID = publicIDs.uuid(.notification, row: delivery.notification.number)
        alert = delivery.alert
        category = delivery.category
        title = delivery.title
        body = delivery.body
        data = delivery.data
        series = delivery.series
        createdAtMilliseconds = delivery.createdAtMilliseconds
        isRead = delivery.isRead
        isRemoved = delivery.isRemoved
    }
}

/// An entry of a profile's log, as sync gives it.
package struct ChangeAnswer: Hashable, Sendable {
    /// `new`, `read`, `dismissed` or `removed`.
    package let kind: String
    package let deliveryID: String
    /// The delivery with its content, for new ones that are still there.
    package let delivery: DeliveryAnswer?
}

/// One page of changes.
package struct SyncAnswer: Hashable, Sendable {
    /// Ascending and without gaps.
    package let changes: [ChangeAnswer]
    /// What the next request presents.
    package let cursor: String
    package let hasMore: Bool
    /// Visible deliveries that are not read.
    package let unread: Int64
    /// True when the page is the newest one and what the client holds should be dropped.
    package let isReset: Bool
}

/// One page of the inbox, newest first.
package struct InboxPage: Hashable, Sendable {
    package let deliveries: [DeliveryAnswer]
    /// The delivery id to ask for the next page with; nil at the end.
    package let next: String?
}

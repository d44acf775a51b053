package import ReveilleCore

/// What clients read and say of their inbox.
package protocol InboxStore: Sendable {
    /// One page of changes after a cursor, ascending and without gaps; nil starts with the newest page.
    func changes(
        of profile: ProfileRow, since: Cursor?, limit: Int
    ) async throws(StoreError) -> ChangePage

    /// The inbox: visible deliveries that were not removed, newest first, before a delivery.
    func deliveries(
        of profile: ProfileRow, before: DeliveryRow?, limit: Int
    ) async throws(StoreError) -> [Delivery]

    /// One delivery with its content; nil when it is not this profile's.
    func delivery(
        _ row: DeliveryRow, of profile: ProfileRow
    ) async throws(StoreError) -> Delivery?

    /// Marks one delivery read; idempotent. A fully read wake is cancelled on every device.
    func markRead(_ row: DeliveryRow, of profile: ProfileRow) async throws(StoreError) -> Bool

    /// Marks all deliveries up to a change read; returns how many became so.
    func markAllRead(
        of profile: ProfileRow, upTo change: Int64?
    ) async throws(StoreError) -> Int64

    /// Records that a device received the wake of a delivery; idempotent. Ends those of the device's
    /// wakes whose deliveries are then all covered; takes this one off the list of a wake that was never leased.
    func recordReceipt(
        _ row: DeliveryRow, by device: DeviceRow, of profile: ProfileRow
    ) async throws(StoreError) -> Bool

    /// Records that a device presented a cursor: cancels its unsettled wakes that it covers fully.
    func acknowledge(_ cursor: Cursor, by device: DeviceRow) async throws(StoreError)

    /// The epoch in which a change was numbered, part of each cursor; nil when it was not numbered yet.
    ///
    /// The same number has another epoch after an older copy of the store was put back.
    func epoch(of change: Int64) async throws(StoreError) -> Int64?
}

/// What an entry of a profile's log says.
package enum ChangeKind: Int64, CaseIterable, Sendable {
    case new = 1
    case read = 2
    case dismissed = 3
    case removed = 4

    /// The word in the API.
    package var word: String {
        switch self {
        case .new: "new"
        case .read: "read"
        case .dismissed: "dismissed"
        case .removed: "removed"
        }
    }
}

/// An entry of a profile's log.
package struct Change: Sendable {
    package let number: Int64
    package let kind: ChangeKind
    package let delivery: DeliveryRow
    /// The delivery with its content, for new ones.
    package let content: Delivery?

    /// Describes a change.
    package init(number: Int64, kind: ChangeKind, delivery: DeliveryRow, content: Delivery?) {
        self.number = number
        self.kind = kind
        self.delivery = delivery
        self.content = content
    }
}

/// A page of changes.
package enum ChangePage: Sendable {
    /// Changes after the cursor, or the newest page when `isReset`.
    case page(changes: [Change], next: Cursor, hasMore: Bool, unread: Int64, isReset: Bool)
    /// The cursor is foreign, from the future or from a history that a restore has undone, or too old (410).
    case cursorGone
}

/// A delivery with the content of its notification.
package struct Delivery: Sendable {
    package let row: DeliveryRow
    package let notification: NotificationRow
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

    /// Gathers a delivery.
    package init(
        row: DeliveryRow, notification: NotificationRow, alert: Alert, category: String,
        title: String, body: String, data: [UInt8], series: String?, createdAtMilliseconds: Int64,
        isRead: Bool, isRemoved: Bool
    ) {
        self.row = row
        self.notification = notification
        self.alert = alert
        self.category = category
        self.title = title
        self.body = body
        self.data = data
        self.series = series
        self.createdAtMilliseconds = createdAtMilliseconds
        self.isRead = isRead
        self.isRemoved = isRemoved
    }
}

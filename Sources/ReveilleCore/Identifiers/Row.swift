/// The number of a row of one table, given once and never again.
///
/// The phantom `Table` keeps a device's row from being passed where a wake's is meant.
package struct Row<Table>: Hashable, Comparable, Sendable {
    /// The rising integer that the store gave the row.
    package let number: Int64

    /// Names the row with `number`.
    package init(_ number: Int64) {
        self.number = number
    }

    package static func < (left: Self, right: Self) -> Bool {
        left.number < right.number
    }
}

/// Names the table of producers in ``Row``.
package enum ProducerTable {}
/// Names the table of profiles in ``Row``.
package enum ProfileTable {}
/// Names the table of devices in ``Row``.
package enum DeviceTable {}
/// Names the table of notifications in ``Row``.
package enum NotificationTable {}
/// Names the table of deliveries in ``Row``.
package enum DeliveryTable {}
/// Names the table of wakes in ``Row``.
package enum WakeTable {}
/// Names the table of lanes in ``Row``.
package enum LaneTable {}
/// Names the table of credentials in ``Row``.
package enum CredentialTable {}

package typealias ProducerRow = Row<ProducerTable>
package typealias ProfileRow = Row<ProfileTable>
package typealias DeviceRow = Row<DeviceTable>
package typealias NotificationRow = Row<NotificationTable>
package typealias DeliveryRow = Row<DeliveryTable>
package typealias WakeRow = Row<WakeTable>
package typealias LaneRow = Row<LaneTable>
package typealias CredentialRow = Row<CredentialTable>

/// How many entries pages have.
package enum PageSize {
    /// Changes of a sync when the client does not say, and at most.
    package static let changes = 50
    /// Deliveries of a list when the client does not say.
    package static let deliveries = 25
    /// Devices of an admin's list when the admin does not say.
    package static let devices = 50
    /// The most that any client may ask for.
    package static let maximum = 100
}

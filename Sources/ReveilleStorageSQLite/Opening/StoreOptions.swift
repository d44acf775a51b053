package import ReveilleSQLite

/// What an operator may set about a store, and its limits.
package struct StoreOptions: Sendable {
    /// How long a lease lasts, in seconds (design section 3.3).
    package var leaseSeconds: Int64 = 60
    /// Devices that one profile may register.
    package var deviceLimitPerProfile = 50
    /// How long a transaction waits for another process, in milliseconds.
    package var busyMilliseconds: Int32 = 5_000
    /// Operations that may wait for the writer; further ones are refused as overloaded.
    package var maximumQueuedOperations = 8_192
    /// Rows that waiting posts may stand for; further posts are refused as overloaded.
    package var maximumQueuedRows = 131_072
    /// Reads that may wait; further ones are refused as overloaded.
    package var maximumQueuedReads = 8_192
    /// A file system that fails on request, for tests.
    package var faults: FaultInjectingVFS?

    /// The usual settings.
    package init() {}
}

package import ReveilleCore
package import ReveilleSQLite
package import ReveilleStorage

/// What an operator may set about a store, and its limits.
package struct StoreOptions: Sendable {
    /// How long a lease lasts, in seconds: long enough for a request's deadline, short enough that others soon take over.
    package var leaseSeconds: Int64 = 60
    /// Devices that one profile may register.
    package var deviceLimitPerProfile = 50
    /// Providers that the operator has switched off: no wakes are made for their devices.
    package var providersOff: Set<ProviderKind> = []
    /// How long a transaction waits for another process, in milliseconds.
    package var busyMilliseconds: Int32 = 5_000
    /// Deliveries that are indexed by profile together, at least (``DeliveryRun``).
    package var deliveriesPerRun: Int64 = 32_768
    /// Operations that may wait for the writer; further ones are refused as overloaded.
    package var maximumQueuedOperations = 8_192
    /// Rows that waiting posts may stand for; further posts are refused as overloaded.
    package var maximumQueuedRows = 131_072
    /// Reads that may wait; further ones are refused as overloaded.
    package var maximumQueuedReads = 8_192
    /// Reads the operator's master keys again, after a rotation; nil when they cannot be read.
    package var rereadMasterKeys: (@Sendable () -> MasterKeys?)?
    /// When opening makes a present key that the store does not know yet the store's.
    package var keyIntroduction = KeyIntroduction.always
    /// A file system that fails on request, for tests.
    package var faults: FaultInjectingVFS?

    /// When a master key becomes the store's.
    package enum KeyIntroduction: Sendable {
        /// At once; other processes on the store must read it too.
        case always
        /// Only when no other process has the store open; otherwise the present key stays, and one of those takes the new one.
        case whenAlone
    }

    /// The usual settings.
    package init() {}
}

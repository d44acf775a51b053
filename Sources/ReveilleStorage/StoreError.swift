/// Why the store could not do what it was asked; nothing was half done.
package struct StoreError: Error, Hashable, Sendable {
    /// The kind of trouble; the raw value is the stable code in problem details and logs.
    package enum Code: String, CaseIterable, Sendable {
        /// The disk or quota is full; the same request works again when there is room.
        case full = "storage_full"
        /// Another process kept the lock beyond the time allowed.
        case busy = "storage_busy"
        /// The database file is damaged.
        case corrupt = "storage_corrupt"
        /// The file or its folder cannot be written.
        case readOnly = "storage_read_only"
        /// The disk failed a read, write or sync.
        case inputOutput = "storage_io_error"
        /// The file cannot be opened.
        case cannotOpen = "storage_cannot_open"
        /// The file was written by a newer version of the program.
        case newerSchema = "storage_newer_schema"
        /// The master key is not the one this store was made with.
        case wrongKey = "storage_wrong_key"
        /// The master key was rotated while the store was open, and the operator's keys do not hold the new one.
        case keyRotated = "storage_key_rotated"
        /// The file was removed, or another one stands in its place.
        case fileMissing = "storage_file_missing"
        /// A sealed value does not open with any key of the store.
        case unreadableValue = "storage_unreadable_value"
        /// Too many requests wait for the writer.
        case overloaded = "storage_overloaded"
        /// The store is closing.
        case closed = "storage_closed"
        /// The engine refused a statement: an error of the program.
        case programming = "storage_internal"
    }

    /// The kind of trouble.
    package let code: Code
    /// The engine's own number, for the operator; 0 when there is none.
    package let engineCode: Int32
    /// With ``Code/wrongKey``: the check values of the keys the store needs and of the keys it was given.
    package let keys: KeyMismatch?

    /// Describes trouble.
    package init(_ code: Code, engineCode: Int32 = 0, keys: KeyMismatch? = nil) {
        self.code = code
        self.engineCode = engineCode
        self.keys = keys
    }

    /// Check values of master keys (``MasterKey/checkValue``), which say nothing of the keys.
    package struct KeyMismatch: Hashable, Sendable {
        /// What values in the store are sealed under.
        package let needed: [String]
        /// What the settings gave.
        package let given: [String]

        /// Names both.
        package init(needed: [String], given: [String]) {
            self.needed = needed
            self.given = given
        }
    }

    /// True when the same request may work a moment later without anybody's help.
    package var isTransient: Bool {
        switch code {
        case .full, .busy, .inputOutput, .overloaded, .closed, .readOnly, .keyRotated, .fileMissing: true
        case .corrupt, .cannotOpen, .newerSchema, .wrongKey, .unreadableValue, .programming: false
        }
    }
}

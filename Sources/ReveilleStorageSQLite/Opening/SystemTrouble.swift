internal import Glibc

/// What numbers of the system mean for a store.
enum SystemTrouble {
    /// No room on the disk, or none left in the quota.
    static func isFull(_ number: Int32) -> Bool { number == ENOSPC || number == EDQUOT }
}

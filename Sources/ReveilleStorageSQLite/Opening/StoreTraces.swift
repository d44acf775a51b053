internal import Glibc
internal import ReveilleStorage

/// What a store leaves beside its file, to tell a first start from a store whose file somebody emptied or took away.
///
/// The rule: the folder of the slots is made after the first transaction is on disk and never removed, so beside a file that holds
/// nothing it says that a store was there. The write-ahead log is made after the first page of the file is on disk, so a log with
/// contents beside a file of no length says so too. A start that was killed before its first commit leaves neither, and
/// the next one goes on from there. The master key says nothing: it may be made beforehand.
enum StoreTraces {
    /// Makes sure that a missing file, or one without any length, may be taken for a new one.
    ///
    /// Called before SQLite opens the file: it removes a log beside a file of no length.
    ///
    /// - Throws: `fileMissing` when a store was there.
    static func checkBareFile(_ path: String) throws(StoreError) {
        // The traces first: a start beside this one makes them last.
        let hasTraces = hasSlots(path) || size(path + "-wal") > 0
        guard hasTraces, size(path) == 0 else { return }
        throw StoreError(.fileMissing)
    }

    /// Makes sure that a database without tables may be taken for a new one.
    ///
    /// - Parameter hadSlots: what ``hasSlots(_:)`` said before the file was looked into.
    /// - Throws: `fileMissing` when a store was there.
    static func checkVersion(_ version: Int64, hadSlots: Bool) throws(StoreError) {
        if version == 0, hadSlots { throw StoreError(.fileMissing) }
    }

    /// Whether some process ever had a store open at a path.
    static func hasSlots(_ path: String) -> Bool {
        var found = stat()
        return stat(ProcessSlot.folder(of: path), &found) == 0
    }

    private static func size(_ path: String) -> Int64 {
        var found = stat()
        return stat(path, &found) == 0 ? Int64(found.st_size) : 0
    }
}

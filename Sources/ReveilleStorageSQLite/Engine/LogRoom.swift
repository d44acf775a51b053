internal import CLinux
internal import Glibc
internal import ReveilleStorage

/// Room on the disk for what a post adds to the write-ahead log.
///
/// A probe that writes a page still succeeds on a nearly full disk where a post does not. So the room itself is asked for: the file
/// system sets it aside behind the end of the log, which costs no write and nothing once it is there, and which the next
/// posts then use. Quotas count too.
enum LogRoom {
    /// More than a post with the longest body for some recipients needs, in octets.
    static let octets: Int64 = 256 * 1_024
    /// The header of the log, and of a frame with its page (https://sqlite.org/fileformat2.html#walformat).
    private static let headerOctets: Int64 = 32
    private static let frameOctets: Int64 = 24 + 4_096

    /// Sets room aside.
    ///
    /// - Parameter frames: the frames in the log, 0 when nobody knows yet.
    /// - Throws: `full` when there is none.
    static func reserve(behind frames: Int, of path: String) throws(StoreError) {
        let descriptor = open(path + "-wal", O_RDWR | O_CLOEXEC)
        // Without a log or a descriptor the write itself tells what is wrong.
        guard descriptor >= 0 else { return }
        defer { _ = reveille_linux_close(descriptor) }
        var log = stat()
        guard fstat(descriptor, &log) == 0 else { return }
        let size = Int64(log.st_size)
        let start = frames > 0 ? headerOctets + Int64(frames) * frameOctets : size
        let result = reveille_linux_reserve(descriptor, start, octets)
        guard result < 0 else { return }
        if SystemTrouble.isFull(-result) { throw StoreError(.full) }
        // A file system that cannot set room aside is asked how much there is.
        guard let free = freeOctets(descriptor), free < start + octets - size else { return }
        throw StoreError(.full)
    }

    /// Whether the disk has less room than twice what the log takes already, so that the log should not grow on.
    static func isShort(beside frames: Int, of path: String) -> Bool {
        var system = statvfs()
        guard statvfs(path, &system) == 0 else { return false }
        return freeOctets(system) < 2 * Int64(frames) * frameOctets
    }

    private static func freeOctets(_ descriptor: Int32) -> Int64? {
        var system = statvfs()
        guard fstatvfs(descriptor, &system) == 0 else { return nil }
        return freeOctets(system)
    }

    private static func freeOctets(_ system: statvfs) -> Int64 {
        Int64(clamping: UInt64(system.f_bavail).multipliedReportingOverflow(by: UInt64(system.f_frsize)).partialValue)
    }
}

internal import Glibc
internal import ReveilleRuntime
internal import ReveilleStorage

/// The files of an open store as they were when it was opened, to notice when a path leads elsewhere.
///
/// SQLite goes on writing into a file that was removed or replaced, as if nothing had happened, and a second connection to the
/// path would cut the shared memory of the first. One connection stays open as long as the store, so that none of the
/// files ever goes legitimately.
final class StoreFiles: Sendable {
    /// Behind the name of the database file: itself, the write-ahead log, and the log's index in shared memory.
    private static let suffixes = ["", "-wal", "-shm"]

    private struct Identity {
        let device: UInt
        let inode: UInt
        /// What it must not fall below; only the index never shrinks.
        let size: Int

        /// Whether a file is the same one, and as long as it must be.
        func isKept(by other: Identity) -> Bool {
            device == other.device && inode == other.inode && other.size >= size
        }
    }

    private let paths: [String]
    private let kept = Locked<[Identity]?>(nil)

    init(_ path: String) {
        paths = Self.suffixes.map { path + $0 }
    }

    /// Remembers the files, once a connection has opened them.
    func remember() throws {
        var found: [Identity] = []
        for path in paths {
            guard let identity = Self.identity(path, measured: path.hasSuffix("-shm")) else {
                throw StoreError(.fileMissing)
            }
            found.append(identity)
        }
        kept.withLock { [found] in $0 = found }
    }

    /// Makes sure that the paths lead to the files that are open; a few microseconds.
    ///
    /// - Throws: `fileMissing`.
    func check() throws {
        guard let kept = kept.withLock({ $0 }) else { return }
        for (path, identity) in zip(paths, kept) {
            guard let present = Self.identity(path, measured: true), identity.isKept(by: present) else {
                throw StoreError(.fileMissing)
            }
        }
    }

    private static func identity(_ path: String, measured: Bool) -> Identity? {
        var found = stat()
        guard stat(path, &found) == 0 else { return nil }
        return Identity(
            device: UInt(found.st_dev), inode: UInt(found.st_ino), size: measured ? Int(found.st_size) : 0)
    }
}

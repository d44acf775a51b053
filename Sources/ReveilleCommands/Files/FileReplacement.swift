internal import CLinux
internal import Glibc

/// The right to give a small file new contents: held by one process at a time, from before it reads the old ones on.
///
/// The new contents are written beside the file and get its name in the end, so that nobody sees half of them. The file beside it is
/// locked as long as the right is held; one without a lock is a dead writer's, and is removed. What is not finished leaves no trace.
final class FileReplacement {
    /// Behind a file's name while it is written.
    static let suffix = ".new"
    /// How often another writer is waited for, and for how many milliseconds each time.
    private static let attempts = 50
    private static let pauseMilliseconds: Int32 = 20

    private let path: String
    private let mode: UInt32
    private let temporary: String
    private let descriptor: Int32

    /// Takes the right, after those that others hold for a moment.
    ///
    /// - Throws: in the system's words, or that another process holds it.
    init(of name: String, mode: UInt32) throws(FileContents.Problem) {
        path = Self.target(name)
        self.mode = mode
        temporary = path + Self.suffix
        descriptor = try Self.make(temporary, mode: mode)
    }

    deinit {
        // Removed while it is locked, so that nobody takes it for a dead writer's; unless it has its name already.
        if Self.isSameFile(descriptor, temporary) { unlink(temporary) }
        close(descriptor)
    }

    /// Gives the file its contents; false when one was there that is kept.
    func finish(_ bytes: [UInt8], presence: FileWriting.Presence) throws(FileContents.Problem) -> Bool {
        if case .isReplaced = presence { keepReaders() }
        try fill(bytes)
        let isNew = try place(presence)
        syncFolder()
        return isNew
    }

    /// Gives the written file its name; false when another has it that is kept.
    private func place(_ presence: FileWriting.Presence) throws(FileContents.Problem) -> Bool {
        if case .isKept = presence {
            let isLinked = link(temporary, path) == 0
            let number = errno
            if isLinked || number == EEXIST { return isLinked }
            // A file system without hard links: the name is free as far as anybody can tell there.
            guard access(path, F_OK) != 0 else { return false }
        }
        guard rename(temporary, path) == 0 else { throw FileContents.Problem(reason: Self.reason()) }
        return true
    }

    /// A new file that stays locked as long as it is written: one without a lock is a dead writer's.
    private static func make(_ path: String, mode: UInt32) throws(FileContents.Problem) -> Int32 {
        for _ in 0..<attempts {
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
            if descriptor < 0 {
                guard errno == EEXIST else { throw FileContents.Problem(reason: reason()) }
                try removeLeftover(path)
                continue
            }
            // Between its making and its locking another may have taken it for a dead writer's.
            if reveille_linux_lock_exclusive(descriptor) == 0, isSameFile(descriptor, path) { return descriptor }
            close(descriptor)
        }
        throw FileContents.Problem(reason: "another process is writing it; try again when that has ended")
    }

    /// Removes a dead writer's file, or waits a moment for one that lives.
    private static func removeLeftover(_ path: String) throws(FileContents.Problem) {
        let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno == ENOENT else { throw FileContents.Problem(reason: "\(path) is in the way: \(reason())") }
            return
        }
        defer { close(descriptor) }
        guard reveille_linux_lock_exclusive(descriptor) == 0 else {
            poll(nil, 0, pauseMilliseconds)
            return
        }
        if isSameFile(descriptor, path), unlink(path) != 0 { throw FileContents.Problem(reason: reason()) }
    }

    private func fill(_ bytes: [UInt8]) throws(FileContents.Problem) {
        var offset = 0
        while offset < bytes.count {
            let written = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress.map { $0 + offset }, bytes.count - offset)
            }
            guard written > 0 else { throw FileContents.Problem(reason: Self.reason()) }
            offset += written
        }
        guard fsync(descriptor) == 0 else { throw FileContents.Problem(reason: Self.reason()) }
    }

    private static func isSameFile(_ descriptor: Int32, _ path: String) -> Bool {
        var held = stat()
        var named = stat()
        guard fstat(descriptor, &held) == 0, lstat(path, &named) == 0 else { return false }
        return held.st_ino == named.st_ino && held.st_dev == named.st_dev
    }

    /// Puts the new name on disk too, before anything is sealed under what the file holds.
    private func syncFolder() {
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "./"
        let descriptor = open(String(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        // A file system that cannot do this for folders needs it not, or cannot be helped.
        fsync(descriptor)
        close(descriptor)
    }

    /// The file behind a symbolic link, which stays one.
    private static func target(_ name: String) -> String {
        guard let resolved = realpath(name, nil) else { return name }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private func keepReaders() {
        var present = stat()
        guard stat(path, &present) == 0 else { return }
        // Only root can give a file away; whoever cannot is its owner already, or could not have read it.
        guard fchown(descriptor, present.st_uid, present.st_gid) == 0 else { return }
        fchmod(descriptor, mode | present.st_mode & 0o040)
    }

    @inline(never)
    private static func reason() -> String { SystemWords.ofLastError() }
}

internal import CLinux
internal import Glibc

/// Writes small files whole: first beside their place, then by renaming, so that nobody sees half of one.
enum FileWriting {
    /// Behind a file's name while it is written.
    static let suffix = ".new"
    /// How often another writer is waited for, and for how many milliseconds each time.
    private static let attempts = 50
    private static let pauseMilliseconds: Int32 = 20

    /// What happens to a file that is there.
    enum Presence {
        /// It gives way, and its successor keeps its owner and its group's right to read, for who reads it now must go on.
        case isReplaced
        /// It stays, whoever made it and when.
        case isKept
    }

    /// Writes a file; false when one was there that is kept.
    ///
    /// What a writer left behind that was killed is removed first.
    @discardableResult
    static func write(
        _ bytes: [UInt8], to name: String, mode: UInt32, presence: Presence = .isReplaced
    ) throws(FileContents.Problem) -> Bool {
        let path = target(name)
        let temporary = path + suffix
        let descriptor = try make(temporary, mode: mode)
        defer { close(descriptor) }
        let isNew: Bool
        do throws(FileContents.Problem) {
            if case .isReplaced = presence { keepReaders(of: path, descriptor, mode: mode) }
            try fill(descriptor, bytes)
            isNew = try place(temporary, path, presence)
        } catch {
            unlink(temporary)
            throw error
        }
        syncFolder(of: path)
        return isNew
    }

    /// Gives a written file its name; false when another has it that is kept.
    private static func place(
        _ temporary: String, _ path: String, _ presence: Presence
    ) throws(FileContents.Problem) -> Bool {
        if case .isKept = presence {
            let isLinked = link(temporary, path) == 0
            let number = errno
            if isLinked || number == EEXIST {
                unlink(temporary)
                return isLinked
            }
            // A file system without hard links: the name is free as far as anybody can tell there.
            guard access(path, F_OK) != 0 else {
                unlink(temporary)
                return false
            }
        }
        guard rename(temporary, path) == 0 else { throw FileContents.Problem(reason: reason()) }
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
        throw FileContents.Problem(reason: "another process is writing it")
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

    private static func fill(_ descriptor: Int32, _ bytes: [UInt8]) throws(FileContents.Problem) {
        var offset = 0
        while offset < bytes.count {
            let written = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress.map { $0 + offset }, bytes.count - offset)
            }
            guard written > 0 else { throw FileContents.Problem(reason: reason()) }
            offset += written
        }
        guard fsync(descriptor) == 0 else { throw FileContents.Problem(reason: reason()) }
    }

    private static func isSameFile(_ descriptor: Int32, _ path: String) -> Bool {
        var held = stat()
        var named = stat()
        guard fstat(descriptor, &held) == 0, lstat(path, &named) == 0 else { return false }
        return held.st_ino == named.st_ino && held.st_dev == named.st_dev
    }

    /// Puts the new name on disk too, before anything is sealed under what the file holds.
    private static func syncFolder(of path: String) {
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

    private static func keepReaders(of path: String, _ descriptor: Int32, mode: UInt32) {
        var present = stat()
        guard stat(path, &present) == 0 else { return }
        // Only root can give a file away; whoever cannot is its owner already, or could not have read it.
        guard fchown(descriptor, present.st_uid, present.st_gid) == 0 else { return }
        fchmod(descriptor, mode | present.st_mode & 0o040)
    }

    @inline(never)
    private static func reason() -> String { String(cString: strerror(errno)).lowercased() }
}

internal import Glibc

/// Writes small files whole: first beside their place, then by renaming, so that nobody sees half of one.
enum FileWriting {
    /// Writes a file; one that is there keeps its owner, and its group's right to read, for who reads it now must go on.
    static func write(_ bytes: [UInt8], to name: String, mode: UInt32) throws(FileContents.Problem) {
        let path = target(name)
        let temporary = path + ".\(getpid()).new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw FileContents.Problem(reason: reason()) }
        keepReaders(of: path, descriptor, mode: mode)
        var offset = 0
        while offset < bytes.count {
            let written = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress.map { $0 + offset }, bytes.count - offset)
            }
            guard written > 0 else {
                let problem = FileContents.Problem(reason: reason())
                close(descriptor)
                unlink(temporary)
                throw problem
            }
            offset += written
        }
        let synced = fsync(descriptor) == 0
        close(descriptor)
        guard synced, rename(temporary, path) == 0 else {
            let problem = FileContents.Problem(reason: reason())
            unlink(temporary)
            throw problem
        }
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

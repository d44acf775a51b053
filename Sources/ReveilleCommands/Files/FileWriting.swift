internal import Glibc

/// Writes small files whole: first beside their place, then by renaming, so that nobody sees half of one.
enum FileWriting {
    static func write(_ bytes: [UInt8], to path: String, mode: UInt32) throws(FileContents.Problem) {
        let temporary = path + ".\(getpid()).new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw FileContents.Problem(reason: reason()) }
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

    @inline(never)
    private static func reason() -> String { String(cString: strerror(errno)).lowercased() }
}

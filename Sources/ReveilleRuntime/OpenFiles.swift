internal import Glibc

/// The descriptors that are left.
package enum OpenFiles {
    /// Whether the process or the machine can open nothing more at this moment (`EMFILE`, `ENFILE`).
    ///
    /// For those whose call failed in a way that does not say so.
    package static var areExhausted: Bool {
        let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard descriptor < 0 else {
            close(descriptor)
            return false
        }
        return errno == EMFILE || errno == ENFILE
    }
}

import Glibc

/// Writes a file that only its owner may read, as a credential must be.
enum PrivateFile {
    static func write(_ text: String, to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        guard descriptor >= 0 else { throw NotWritten() }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard bytes.withUnsafeBytes({ Glibc.write(descriptor, $0.baseAddress, $0.count) }) == bytes.count else {
            throw NotWritten()
        }
    }

    struct NotWritten: Error {}
}

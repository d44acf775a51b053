internal import Glibc

/// Files as the emulator's command needs them: small, whole, in one step.
enum TextFile {
    /// Writes a file that others may read; whoever looks sees the old text or all of the new one.
    static func write(_ text: String, to path: String) throws(APNsEmulatorError) {
        let temporary = path + ".new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw APNsEmulatorError(.fileFailed, path) }
        let isWritten = writeAll(Array(text.utf8), to: descriptor)
        guard close(descriptor) == 0, isWritten, rename(temporary, path) == 0 else {
            _ = unlink(temporary)
            throw APNsEmulatorError(.fileFailed, path)
        }
    }

    private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Reads a file of at most so many bytes.
    static func read(_ path: String, maximumBytes: Int) throws(APNsEmulatorError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw APNsEmulatorError(.fileFailed, path) }
        defer { _ = close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = Glibc.read(descriptor, &piece, piece.count)
            guard count >= 0, bytes.count + count <= maximumBytes else {
                throw APNsEmulatorError(.fileFailed, path)
            }
            if count == 0 { return bytes }
            bytes += piece.prefix(count)
        }
    }
}

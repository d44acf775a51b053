package import Glibc

/// Files as the emulator's command needs them: small, whole, in one step.
package enum TextFile {
    /// Writes a file, by default one that others may read; whoever looks sees the old text or all of the new one.
    package static func write(_ text: String, to path: String, mode: mode_t = 0o644) throws(EmulatorError) {
        let temporary = path + ".new"
        _ = unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw EmulatorError(.fileFailed, path) }
        let isWritten = writeAll(Array(text.utf8), to: descriptor)
        guard close(descriptor) == 0, isWritten, rename(temporary, path) == 0 else {
            _ = unlink(temporary)
            throw EmulatorError(.fileFailed, path)
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
    static func read(_ path: String, maximumBytes: Int) throws(EmulatorError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw EmulatorError(.fileFailed, path) }
        defer { _ = close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = Glibc.read(descriptor, &piece, piece.count)
            guard count >= 0, bytes.count + count <= maximumBytes else {
                throw EmulatorError(.fileFailed, path)
            }
            if count == 0 { return bytes }
            bytes += piece.prefix(count)
        }
    }
}

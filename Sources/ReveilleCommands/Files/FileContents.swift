internal import Glibc

/// Reads whole small files: keys, certificates, settings.
package enum FileContents {
    /// The largest file that is read; nothing the program takes from a file is near it.
    package static let maximumBytes = 1 << 20

    /// Why a file could not be read; `reason` is the system's word for it.
    package struct Problem: Error, Hashable, Sendable {
        package let reason: String
    }

    /// What the file system says of a file.
    package struct Facts: Hashable, Sendable {
        package let owner: UInt32
        /// The permission bits.
        package let mode: UInt32
        package let isRegular: Bool
        package let size: Int

        /// Gathers what the file system says.
        package init(owner: UInt32, mode: UInt32, isRegular: Bool, size: Int) {
            self.owner = owner
            self.mode = mode
            self.isRegular = isRegular
            self.size = size
        }
    }

    /// The bytes of a file and what the file system says of it.
    ///
    /// Only regular files are read: a pipe could keep the reader waiting without end, and a device could do anything.
    package static func read(_ path: String) throws(Problem) -> (bytes: [UInt8], facts: Facts) {
        guard !path.utf8.contains(0) else { throw Problem(reason: "its name holds a zero octet") }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else { throw Problem(reason: reason()) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Problem(reason: reason()) }
        let facts = Facts(
            owner: status.st_uid, mode: status.st_mode & 0o7777,
            isRegular: status.st_mode & S_IFMT == S_IFREG, size: Int(status.st_size))
        if status.st_mode & S_IFMT == S_IFDIR { throw Problem(reason: "it is a folder") }
        guard facts.isRegular else { throw Problem(reason: "it is no regular file") }
        return (try readAll(descriptor), facts)
    }

    /// Everything that comes from standard input until its end.
    static func standardInput() throws(Problem) -> [UInt8] { try readAll(STDIN_FILENO) }

    /// The text of a file; bytes that are no UTF-8 are refused.
    package static func text(_ path: String) throws(Problem) -> String {
        let (bytes, _) = try read(path)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Problem(reason: "it is not text")
        }
        return text
    }

    private static func readAll(_ descriptor: Int32) throws(Problem) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            var problem: Problem?
            let chunk = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
                let got = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                if got < 0 { problem = Problem(reason: reason()) }
                count = max(0, got)
            }
            if let problem { throw problem }
            if chunk.isEmpty { return bytes }
            bytes += chunk
            if bytes.count > maximumBytes { throw Problem(reason: "it is larger than 1 MiB") }
        }
    }

    @inline(never)
    private static func reason() -> String { SystemWords.ofLastError() }
}

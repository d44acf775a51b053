internal import Glibc

/// A folder of our own below the system's temporary one.
enum TemporaryFolder {
    /// Makes a folder that only its owner can enter.
    static func make(_ name: String) throws(FileContents.Problem) -> String {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/\(name)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw FileContents.Problem(
                reason:
                    "no folder can be made in \(base) (TMPDIR): \(SystemWords.ofLastError()); set TMPDIR to one that can be "
                    + "written")
        }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Removes a folder that ``make(_:)`` made, with all files in it, and the key file beside it.
    static func remove(_ folder: String) {
        unlink(folder + ".key")
        removeAll(folder)
    }

    private static func removeAll(_ path: String) {
        if let folder = opendir(path) {
            while let entry = readdir(folder) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name != ".", name != ".." { removeAll(path + "/" + name) }
            }
            closedir(folder)
            rmdir(path)
        } else {
            unlink(path)
        }
    }
}

internal import Glibc

/// Where a file is or would be: what a path leads to, and whether something can be made there.
enum FilePlace {
    /// The path behind all symbolic links; of a file that does not exist its folder is resolved.
    static func resolved(_ path: String) -> String {
        if let whole = real(path) { return whole }
        let (folder, name) = split(path)
        guard let folder = real(folder) else { return path }
        return (folder == "/" ? "" : folder) + "/" + name
    }

    /// Why nothing can be made under a path, in the system's words; nil when it can.
    static func problemOfMaking(_ path: String) -> String? {
        let folder = split(path).folder
        guard access(folder, W_OK | X_OK) != 0 else { return nil }
        return "\(folder): \(SystemWords.ofLastError())"
    }

    /// What a symbolic link says; nil when there is none.
    static func linkTarget(_ path: String) -> String? {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &target, target.count)
        guard count > 0 else { return nil }
        return String(decoding: target[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Whether a path leads to a folder.
    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static func real(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }

    private static func split(_ path: String) -> (folder: String, name: String) {
        let trimmed = path.utf8.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        guard let slash = trimmed.lastIndex(of: "/") else { return (".", trimmed) }
        let folder = slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
        return (folder, String(trimmed[trimmed.index(after: slash)...]))
    }
}

/// The system's words for what went wrong.
enum SystemWords {
    /// Of the last call that failed on this thread.
    @inline(never)
    static func ofLastError() -> String { of(errno) }

    /// Of an errno value, in lower case, to stand inside a sentence.
    static func of(_ number: Int32) -> String { String(cString: strerror(number)).lowercased() }
}

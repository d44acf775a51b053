internal import Glibc

/// Whether a folder can hold the database safely.
package enum DataFolder {
    /// What is wrong with the folder, as the end of a sentence that begins with its path; nil when nothing is.
    ///
    /// A folder that does not exist is good when it can be made.
    package static func problem(_ folder: String, user: UInt32 = geteuid()) -> String? {
        if folder.isEmpty || folder.utf8.contains(0) { return "is no path of a folder" }
        var status = stat()
        guard stat(folder, &status) == 0 else {
            let number = errno
            guard number == ENOENT else { return "cannot be looked into: \(SystemWords.of(number))" }
            return FilePlace.problemOfMaking(folder).map { "cannot be made: \($0)" }
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { return "is no folder" }
        return problem(owner: status.st_uid, mode: status.st_mode & 0o7777, user: user)
            ?? (access(folder, R_OK | W_OK | X_OK) == 0 ? nil : "cannot be used: \(SystemWords.ofLastError())")
    }

    /// What is wrong with owner and mode of a folder, for the user that runs the program.
    package static func problem(owner: UInt32, mode: UInt32, user: UInt32) -> String? {
        // Root may look after the folder of a service's own user.
        if user != 0, owner != user, owner != 0 {
            return
                "belongs to user \(owner), and must belong to root or to the user that runs reveille; \(anotherFolder)"
        }
        // Whoever may write into a folder can put another database in the place of ours.
        guard mode & 0o022 != 0 else { return nil }
        let fault = "can be written by others (mode \(CredentialFile.octal(mode)))"
        return isShared(owner: owner, mode: mode, user: user)
            ? "\(fault) and looks like a folder that many share; \(anotherFolder)" : "\(fault); run: chmod 700 on it"
    }

    /// Closing such a folder would take it from the others: `/tmp` is sticky, `/var/mail` hands on its group.
    private static func isShared(owner: UInt32, mode: UInt32, user: UInt32) -> Bool {
        owner != user || mode & 0o3002 != 0
    }

    private static let anotherFolder = "name a folder that is reveille's alone, and leave this one as it is"

    /// Whether a file lies in the folder or below it, whatever links lead there.
    package static func holds(_ file: String, folder: String) -> Bool {
        let folder = FilePlace.resolved(folder)
        return FilePlace.resolved(file).hasPrefix(folder.hasSuffix("/") ? folder : folder + "/")
    }
}

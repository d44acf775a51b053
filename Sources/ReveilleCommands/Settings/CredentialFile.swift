internal import Glibc

/// Whether a file that holds a secret is kept as one: regular, owned by us or root, closed to others.
package enum CredentialFile {
    /// What is wrong with the file, as the end of a sentence that begins with its path; nil when nothing is.
    package static func problem(_ facts: FileContents.Facts, user: UInt32 = geteuid()) -> String? {
        if !facts.isRegular { return "is no regular file" }
        if facts.owner != user, facts.owner != 0 {
            return "belongs to user \(facts.owner); it must belong to root or to the user that runs "
                + "reveille (chown)"
        }
        // Group read is what systemd and Ansible set-ups give a service's own group; the world has no part.
        if facts.mode & 0o007 != 0 || facts.mode & 0o020 != 0 {
            return "can be read or written by others (mode \(octal(facts.mode))); "
                + "run: chmod 600 on it"
        }
        return nil
    }

    static func octal(_ mode: UInt32) -> String {
        let digits = String(mode & 0o7777, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

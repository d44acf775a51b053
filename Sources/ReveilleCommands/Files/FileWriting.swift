/// Writes small files whole: first beside their place, then by renaming, so that nobody sees half of one.
enum FileWriting {
    /// What happens to a file that is there.
    enum Presence {
        /// It gives way, and its successor keeps its owner and its group's right to read, for who reads it now must go on.
        case isReplaced
        /// It stays, whoever made it and when.
        case isKept
    }

    /// Writes a file; false when one was there that is kept.
    ///
    /// What a writer left behind that was killed is removed first.
    @discardableResult
    static func write(
        _ bytes: [UInt8], to name: String, mode: UInt32, presence: Presence = .isReplaced
    ) throws(FileContents.Problem) -> Bool {
        try FileReplacement(of: name, mode: mode).finish(bytes, presence: presence)
    }
}

internal import ReveilleBytes
internal import ReveilleStorage

/// The file of the master key: 64 hexadecimal digits a line, the key in use first, former ones below it.
enum MasterKeyFile {
    /// Former keys that may stay in the file while values are sealed anew.
    static let maximumFormerKeys = 8

    /// Reads the keys of a file that is kept as a secret should be.
    static func read(_ path: String) throws(CommandFailure) -> MasterKeys {
        let file: (bytes: [UInt8], facts: FileContents.Facts)
        do {
            file = try FileContents.read(path)
        } catch {
            throw CommandFailure("the master key file \(path) cannot be read: \(error.reason)", status: .usage)
        }
        if let problem = CredentialFile.problem(file.facts) {
            throw CommandFailure("the master key file \(path) \(problem)", status: .usage)
        }
        let lines = String(decoding: file.bytes, as: UTF8.self).split { $0.isWhitespace }
        let keys = lines.compactMap { MasterKey(text: SecretText(String($0))) }
        guard keys.count == lines.count, let current = keys.first, keys.count <= maximumFormerKeys + 1 else {
            throw CommandFailure(
                "the master key file \(path) must hold 64 hexadecimal digits a line, the key in use first",
                status: .usage)
        }
        return MasterKeys(current: current, former: Array(keys.dropFirst()))
    }

    /// Writes keys whole, readable for their owner only; false when a file was there that is kept.
    @discardableResult
    static func write(
        _ keys: MasterKeys, to path: String, presence: FileWriting.Presence = .isReplaced
    ) throws(CommandFailure) -> Bool {
        try write(keys, with: beginChange(of: path), to: path, presence: presence)
    }

    /// Takes the right to change the file, held until the keys are written with it or it is let go.
    ///
    /// Whoever writes keys that depend on those in the file takes it before reading them: of two rotations that began with the same
    /// key the second would drop the key of the first, which the store may work with by then.
    static func beginChange(of path: String) throws(CommandFailure) -> FileReplacement {
        do {
            return try FileReplacement(of: path, mode: 0o600)
        } catch {
            throw CommandFailure("the master key file \(path) cannot be written: \(error.reason)")
        }
    }

    /// Writes keys with the right to do so.
    @discardableResult
    static func write(
        _ keys: MasterKeys, with change: FileReplacement, to path: String, presence: FileWriting.Presence = .isReplaced
    ) throws(CommandFailure) -> Bool {
        let text = keys.all.map { $0.text().reveal() + "\n" }.joined()
        do {
            return try change.finish(Array(text.utf8), presence: presence)
        } catch {
            throw CommandFailure("the master key file \(path) cannot be written: \(error.reason)")
        }
    }
}

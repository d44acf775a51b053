/// Takes a bearer token from where no list of processes shows it.
enum TokenInput {
    /// The token in a file, or on standard input when `path` is nil.
    ///
    /// - Parameter option: What named the file, for messages.
    static func read(_ path: String?, option: String) throws(CommandFailure) -> String {
        let place = path.map { "\(option) \($0)" } ?? "standard input"
        let bytes: [UInt8]
        do {
            bytes = if let path { try FileContents.read(path).bytes } else { try FileContents.standardInput() }
        } catch {
            throw CommandFailure("\(place) cannot be read: \(error.reason)", status: .usage)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure("\(place) is not text", status: .usage)
        }
        let token = text.filter { !$0.isWhitespace }
        guard !token.isEmpty else { throw CommandFailure("\(place) holds no token", status: .usage) }
        return token
    }
}

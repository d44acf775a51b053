/// Takes a bearer token from where no list of processes shows it.
enum TokenInput {
    /// The token in a file, or on standard input when `path` is nil.
    static func read(_ path: String?) throws -> String {
        let text: String
        do {
            text = try FileContents.text(path ?? "/dev/stdin")
        } catch {
            throw CommandFailure("\(path ?? "standard input") cannot be read: \(error.reason)", status: .usage)
        }
        let token = text.filter { !$0.isWhitespace }
        guard !token.isEmpty else { throw CommandFailure("\(path ?? "standard input") holds no token", status: .usage) }
        return token
    }
}

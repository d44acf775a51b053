internal import ReveilleTLS

/// The file of a certificate authority that a command is told to trust.
enum AuthorityFile {
    /// The path that an option gives, once the file was read and holds a certificate; nil when the option is not given.
    static func path(_ invocation: Invocation, _ option: String) throws(UsageError) -> String? {
        guard let path = invocation.value(option) else { return nil }
        let text: String
        do throws(FileContents.Problem) {
            text = try FileContents.text(path)
        } catch {
            throw UsageError("\(option) \(path) cannot be read: \(error.reason)")
        }
        guard TLSContext.canUse(authority: text) else {
            throw UsageError("\(option) \(path) holds no certificate of an authority in PEM form")
        }
        return path
    }
}

/// Why an emulator cannot run.
package struct EmulatorError: Error, Sendable, Equatable {
    /// What happened, as a stable word.
    package enum Code: String, Sendable, CaseIterable {
        /// No certificate could be made for the names and addresses.
        case certificateFailed = "certificate_failed"
        /// An address cannot be listened on.
        case listenFailed = "listen_failed"
        /// The emulator runs already, has ended, or has no address.
        case wrongState = "wrong_state"
        /// A file cannot be read or written, or is too large.
        case fileFailed = "file_failed"
        /// The fault script is not valid.
        case scriptInvalid = "script_invalid"
    }

    /// What happened.
    package let code: Code
    /// Where: an address, a file, a place in the script; for the operator who named it.
    package let place: String

    /// Describes a failure.
    package init(_ code: Code, _ place: String = "") {
        self.code = code
        self.place = place
    }
}

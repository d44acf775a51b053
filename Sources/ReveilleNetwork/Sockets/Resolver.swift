/// Finds the addresses of a host name.
package protocol Resolver: Sendable {
    /// Gives the addresses of a name, in the order in which they should be tried; at least one.
    ///
    /// A text that is an address is given back without asking anybody.
    ///
    /// - Throws: `ResolutionError`, or `CancellationError` if the task is cancelled.
    func resolve(_ host: String, port: UInt16) async throws -> [SocketAddress]
}

/// Why a name has no address, without the name.
package struct ResolutionError: Error, Equatable, Sendable {
    /// The reason; the raw text is stable.
    package enum Code: String, Sendable, CaseIterable {
        /// The text cannot be a host name.
        case malformedName = "name_malformed"
        /// There is no such name, or it has no address.
        case notFound = "name_not_found"
        /// The name servers do not answer now; a later try may succeed.
        case temporaryFailure = "name_temporary_failure"
        /// The answer took too long.
        case timedOut = "name_timed_out"
        /// Too many names are waiting for their answers already.
        case tooManyWaiting = "name_too_many_waiting"
        /// The process or the machine has no descriptor left to ask with.
        case exhausted = "resources_exhausted"
        /// The system's resolver failed in another way.
        case failed = "name_resolution_failed"
    }

    /// The reason.
    package let code: Code

    /// Makes an error.
    package init(_ code: Code) {
        self.code = code
    }
}

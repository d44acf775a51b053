/// What an operator may choose about the API itself.
package struct HomeAPISettings: Sendable {
    /// The longest body of a request, in octets.
    package static let maximumBodyOctets = 65_536

    /// Web origins that scripts may call from, such as `https://app.example.org`; never with cookies.
    package var allowedOrigins: Set<String>
    /// What stands before the code in the `type` of problem details.
    package var problemTypeBase: String

    /// No foreign origins, and the error catalogue of the documents.
    package init(allowedOrigins: Set<String> = [], problemTypeBase: String = "/docs/errors.md#") {
        self.allowedOrigins = allowedOrigins
        self.problemTypeBase = problemTypeBase
    }
}

/// What an operator may choose about the API itself.
package struct HomeAPISettings: Sendable {
    /// The longest body of a request, in octets.
    package static let maximumBodyOctets = 65_536

    /// Web origins that scripts may call from, such as `https://app.example.org`; never with cookies.
    package var allowedOrigins: Set<String>

    /// No foreign origins unless they are named.
    package init(allowedOrigins: Set<String> = []) {
        self.allowedOrigins = allowedOrigins
    }
}

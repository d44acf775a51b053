/// When a certificate is valid, counted from the moment of its making.
package struct CertificateValidity: Sendable, Equatable {
    /// Start, relative to now; negative allows for clocks that are behind.
    package let starts: Duration
    /// End, relative to now; negative makes a certificate that has expired.
    package let ends: Duration

    /// Makes a period.
    package init(starts: Duration, ends: Duration) {
        self.starts = starts
        self.ends = ends
    }

    /// From an hour ago for a year: for emulators.
    package static let oneYear = CertificateValidity(
        starts: .seconds(-3600), ends: .seconds(365 * 86_400))

    /// Ended an hour ago: for tests of verification.
    package static let expired = CertificateValidity(
        starts: .seconds(-7 * 86_400), ends: .seconds(-3600))

    /// Starts in a day: for tests of verification.
    package static let future = CertificateValidity(
        starts: .seconds(86_400), ends: .seconds(7 * 86_400))
}

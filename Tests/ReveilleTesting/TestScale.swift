internal import Glibc

/// How long the tests that count may take: chosen once for a run by the variable `REVEILLE_TEST_SCALE`.
package enum TestScale: String, Sendable, CaseIterable {
    /// A tenth of the full counts: the default.
    case quick
    /// The full counts.
    case proof
    /// Fifty times the full counts.
    case soak
    /// As little as still means something under a sanitizer.
    case sanitizer

    /// The environment variable.
    package static let variable = "REVEILLE_TEST_SCALE"

    /// The scale of this run.
    package static let current: TestScale =
        getenv(variable).flatMap { TestScale(rawValue: String(cString: $0)) } ?? .quick

    /// What `full` repetitions become at the current scale; at least one.
    package static func count(_ full: Int) -> Int {
        switch current {
        case .quick: max(full / 10, 1)
        case .proof: full
        case .soak: full * 50
        case .sanitizer: max(full / 100, 1)
        }
    }
}

internal import Glibc
internal import ReveilleRuntime
package import Testing

/// The seeds of randomised tests: a fixed one, so that every run covers the same ground, and a new one in each run.
///
/// The new seed is that of the variable `REVEILLE_TEST_SEED` when it is set, which repeats a run.
package enum TestSeed {
    /// The environment variable that replaces the new seed.
    package static let variable = "REVEILLE_TEST_SEED"
    /// The seed that every run uses.
    package static let fixed: UInt64 = 0x5EED_0F_2E7E_111E
    /// The other seed of this run, the same for all its tests.
    package static let fresh: UInt64 = replayed() ?? SystemRandom().uint64()
    /// Both, as arguments of a parameterised test, which the report then shows.
    package static let both = [fixed, fresh]

    /// What to print beside an expectation of a randomised test.
    package static func comment(_ seed: UInt64) -> Comment {
        "repeat with \(variable)=\(seed)"
    }

    private static func replayed() -> UInt64? {
        getenv(variable).flatMap { UInt64(String(cString: $0)) }
    }
}

internal import Glibc
package import ReveilleRuntime
package import Testing

/// The seed of a randomised test: new in each run, and repeatable by the variable `REVEILLE_TEST_SEED`.
package enum TestSeed {
    /// The environment variable that fixes the seed of all randomised tests.
    package static let variable = "REVEILLE_TEST_SEED"

    /// Runs `body` with a generator, and when it fails says how to repeat it.
    package static func run<R>(
        sourceLocation: SourceLocation = #_sourceLocation, _ body: (SeededRandom) throws -> R
    ) rethrows -> R {
        let seed = chosen()
        do {
            return try body(SeededRandom(seed: seed))
        } catch {
            Issue.record(comment(seed), sourceLocation: sourceLocation)
            throw error
        }
    }

    /// As ``run(sourceLocation:_:)``, for an asynchronous body.
    package static func run<R>(
        sourceLocation: SourceLocation = #_sourceLocation, _ body: (SeededRandom) async throws -> R
    ) async rethrows -> R {
        let seed = chosen()
        do {
            return try await body(SeededRandom(seed: seed))
        } catch {
            Issue.record(comment(seed), sourceLocation: sourceLocation)
            throw error
        }
    }

    /// The seed to use: that of the variable, or a new one.
    package static func chosen() -> UInt64 {
        replayed() ?? SystemRandom().uint64()
    }

    /// What to print beside an expectation of a randomised test.
    package static func comment(_ seed: UInt64) -> Comment {
        "repeat with \(variable)=\(seed)"
    }

    private static func replayed() -> UInt64? {
        guard let text = getenv(variable) else { return nil }
        return UInt64(String(cString: text))
    }
}

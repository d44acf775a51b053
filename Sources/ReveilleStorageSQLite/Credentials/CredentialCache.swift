internal import ReveilleCore
internal import ReveilleRuntime
internal import ReveilleStorage

/// Valid tokens that were looked up lately, by their keyed hash.
///
/// An entry is good for a few seconds, after which a revocation by another process shows; one by this process takes its
/// entries out at once. Unknown tokens are not kept, so that guesses fill nothing.
final class CredentialCache: Sendable {
    private static let life = Duration.seconds(5)
    private static let capacity = 4_096

    private struct Entry<Value> {
        let value: Value
        let until: MonotonicInstant
    }

    private struct State {
        var credentials: [[UInt8]: Entry<Credential>] = [:]
        var validity: [CredentialRow: Entry<Bool>] = [:]
        /// Rises with each revocation, so that a look-up that began before one does not bring its token back.
        var generation = 0
    }

    private let state = Locked(State())
    private let steady: any MonotonicClock

    init(_ steady: any MonotonicClock) {
        self.steady = steady
    }

    /// The generation to hand back with what is looked up now.
    var generation: Int { state.withLock { $0.generation } }

    /// A token's meaning, if it was looked up lately.
    func credential(hash: [UInt8]) -> Credential? {
        let now = steady.now()
        return state.withLock { state in
            guard let entry = state.credentials[hash], entry.until > now else { return nil }
            return entry.value
        }
    }

    /// Whether a token was revoked, if that was looked up lately.
    func isRevoked(_ row: CredentialRow) -> Bool? {
        let now = steady.now()
        return state.withLock { state in
            guard let entry = state.validity[row], entry.until > now else { return nil }
            return entry.value
        }
    }

    func keep(_ credential: Credential, hash: [UInt8], generation: Int) {
        let until = steady.now() + Self.life
        state.withLock { state in
            guard state.generation == generation else { return }
            if state.credentials.count >= Self.capacity { state.credentials.removeAll(keepingCapacity: true) }
            state.credentials[hash] = Entry(value: credential, until: until)
        }
    }

    func keep(isRevoked: Bool, _ row: CredentialRow, generation: Int) {
        let until = steady.now() + Self.life
        state.withLock { state in
            guard state.generation == generation else { return }
            if state.validity.count >= Self.capacity { state.validity.removeAll(keepingCapacity: true) }
            state.validity[row] = Entry(value: isRevoked, until: until)
        }
    }

    /// A token was revoked.
    func forget(_ row: CredentialRow) {
        state.withLock { state in
            state.generation += 1
            state.validity[row] = nil
            for (hash, entry) in state.credentials where entry.value.row == row { state.credentials[hash] = nil }
        }
    }
}

internal import ReveilleRuntime

/// Lets only so many tests at once do what costs threads and descriptors.
///
/// The cases of all parameterised tests begin together, thousands of them: with a store each they would have more open than a
/// process may.
package final class Turnstile: Sendable {
    private struct State {
        var free: Int
        var waiting: [OneShot<Void>] = []
    }

    /// Whoever is inside may go in again, so that nobody waits for itself.
    @TaskLocal private static var isInside = false

    private let state: Locked<State>

    /// So many may be inside.
    package init(places: Int) {
        state = Locked(State(free: places))
    }

    /// Runs `body` when a place is free.
    package func pass<Result>(_ body: () async throws -> Result) async throws -> Result {
        if Self.isInside { return try await body() }
        try await enter()
        defer { leave() }
        return try await Self.$isInside.withValue(true) { try await body() }
    }

    private func enter() async throws {
        let turn = OneShot<Void>()
        let mustWait = state.withLock { state in
            if state.free > 0 {
                state.free -= 1
                return false
            }
            state.waiting.append(turn)
            return true
        }
        guard mustWait else { return }
        do {
            try await turn.wait()
        } catch {
            let hasPlace = state.withLock { state in
                guard let index = state.waiting.firstIndex(where: { $0 === turn }) else { return true }
                state.waiting.remove(at: index)
                return false
            }
            if hasPlace { leave() }
            throw error
        }
    }

    private func leave() {
        let next: OneShot<Void>? = state.withLock { state in
            if state.waiting.isEmpty {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.fulfil(())
    }
}

extension Turnstile {
    /// For tests that open a store of their own.
    package static let stores = Turnstile(places: 48)
}

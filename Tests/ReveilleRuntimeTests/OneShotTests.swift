import ReveilleRuntime
import ReveilleTesting
import Testing

@Suite("A one-shot value", .timeLimit(.minutes(5)))
struct OneShotTests {
    @Test("gives all waiters the first value, and drops later ones")
    func firstWins() async throws {
        let shot = OneShot<Int>()
        #expect(shot.value == nil)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { try await shot.wait() } }
            #expect(shot.fulfil(1))
            #expect(!shot.fulfil(2))
            for try await value in group { #expect(value == 1) }
        }
        #expect(shot.value == 1)
        #expect(try await shot.wait() == 1)
    }

    @Test("has exactly one winner among many")
    func oneWinner() async {
        let shot = OneShot<Int>()
        let winners = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<100 { group.addTask { shot.fulfil(number) } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(winners == 1)
    }

    @Test("lets a cancelled waiter go and keeps the others")
    func cancelsOneWaiter() async throws {
        let shot = OneShot<Int>()
        let cancelled = Task { try await shot.wait() }
        let patient = Task { try await shot.wait() }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        shot.fulfil(7)
        #expect(try await patient.value == 7)
    }

    @Test("ends the wait of a task that was cancelled before it waited, unless the value is there")
    func cancelledBefore() async throws {
        let empty = OneShot<Int>()
        let full = OneShot<Int>()
        full.fulfil(3)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            let value = try await full.wait()
            await #expect(throws: CancellationError.self) { try await empty.wait() }
            return value
        }
        #expect(try await task.value == 3)
    }

    @Test("resumes each waiter exactly once when cancellation and value race")
    func racesCancellation() async {
        for _ in 0..<TestScale.count(5000) {
            let shot = OneShot<Int>()
            let waiter = Task { try await shot.wait() }
            async let cancelled: Void = waiter.cancel()
            shot.fulfil(1)
            await cancelled
            if case .success(let value) = await waiter.result { #expect(value == 1) }
        }
    }
}

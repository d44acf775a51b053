import ReveilleRuntime
import ReveilleTesting
import Testing

@Suite("Sleeping on a loop's clock", .timeLimit(.minutes(5)))
struct SleepTests {
    @Test("ends when the clock has moved far enough")
    func endsOnTime() async throws {
        let clock = ManualClock()
        try await withEventLoop(clock: clock) { loop in
            let awake = Probe(false)
            let deadline = clock.now() + .seconds(5)
            async let sleeper: Void = {
                try await loop.sleep(until: deadline)
                awake.update { $0 = true }
            }()
            clock.advance(by: .seconds(4))
            await loop.settle()
            #expect(!awake.value)
            clock.advance(by: .seconds(1))
            try await sleeper
            #expect(awake.value)
        }
    }

    @Test("ends at once with an error when the task is cancelled, and leaves no timer behind")
    func endsOnCancellation() async throws {
        try await withEventLoop(clock: ManualClock()) { loop in
            let task = Task { try await loop.sleep(for: .seconds(1000)) }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            let pendingTimers = try await loop.call { loop.pendingTimerCount }
            #expect(pendingTimers == 0)
        }
    }

    @Test("ends with an error when the loop stops, and when it has stopped before")
    func endsWithLoop() async throws {
        let loop = EventLoop(name: "test", clock: ManualClock())
        loop.start()
        let task = Task { try await loop.sleep(for: .seconds(1000)) }
        // The task may sleep before or after the loop has stopped: both must end.
        await loop.settle()
        loop.stop()
        await #expect(throws: CancellationError.self) { try await task.value }
        await #expect(throws: CancellationError.self) { try await loop.sleep(for: .zero) }
    }
}

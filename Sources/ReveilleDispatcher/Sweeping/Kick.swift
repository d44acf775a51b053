import ReveilleRuntime

/// Ends a wait early; any thread may send it, and one sent while nobody waits ends the next wait.
final class Kick: Sendable {
    private let next = Locked(OneShot<Void>())

    func send() { next.withLock { $0 }.fulfil(()) }

    /// Waits until a kick comes or `duration` of a loop's clock has passed.
    func wait(atMost duration: Duration, on loop: EventLoop) async {
        let kick = next.withLock { $0 }
        await withTaskGroup { race in
            // Each is cancelled when the other came first.
            race.addTask { try? await kick.wait() }
            race.addTask { try? await loop.sleep(for: duration) }
            await race.next()
            race.cancelAll()
        }
        if kick.value != nil { next.withLock { $0 = OneShot() } }
    }
}

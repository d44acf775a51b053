import ReveilleRuntime

/// Ends a wait early; any thread may send it, and one sent while nobody waits ends the next wait.
final class Kick: Sendable {
    private let next = Locked(OneShot<Void>())
    private let plan = Locked(false)

    func send() { next.withLock { $0 }.fulfil(()) }

    /// Ends the wait because a lane saw the clocks jump: it waits for a plan from now on.
    ///
    /// The round may have seen that jump before, and told the lane of its plan when the lane did not know yet why.
    func askForPlan() {
        plan.withLock { $0 = true }
        send()
    }

    /// Whether a lane asked for a plan since the last call.
    func takePlanRequest() -> Bool {
        plan.withLock { asked in
            defer { asked = false }
            return asked
        }
    }

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

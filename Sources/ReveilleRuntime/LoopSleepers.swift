/// The tasks that sleep on a loop's clock; used on the loop's thread only.
final class LoopSleepers {
    /// How a sleep ended.
    enum Outcome: Sendable {
        case onTime
        case loopStopped
    }

    /// One sleeping task.
    final class Sleeper: Sendable {
        let end = OneShot<Outcome>()
    }

    private enum State {
        case awake([ObjectIdentifier: (sleeper: Sleeper, timer: LoopTimer)])
        /// The loop has stopped: its timers will not fire, so nobody may wait for one.
        case stopped
    }

    private var state = State.awake([:])

    func add(_ sleeper: Sleeper, until deadline: MonotonicInstant, on loop: EventLoop) {
        switch state {
        case .stopped: sleeper.end.fulfil(.loopStopped)
        case .awake(var sleeping):
            let timer = loop.schedule(at: deadline) { [unowned self] in
                remove(sleeper)
                sleeper.end.fulfil(.onTime)
            }
            state = .stopped
            sleeping[ObjectIdentifier(sleeper)] = (sleeper, timer)
            state = .awake(sleeping)
        }
    }

    func remove(_ sleeper: Sleeper) {
        switch state {
        case .stopped: return
        case .awake(var sleeping):
            state = .stopped
            let entry = sleeping.removeValue(forKey: ObjectIdentifier(sleeper))
            state = .awake(sleeping)
            entry?.timer.cancel()
        }
    }

    /// Ends every sleep, now and from now on.
    func wakeAll() {
        switch state {
        case .stopped: return
        case .awake(let sleeping):
            state = .stopped
            for entry in sleeping.values { entry.sleeper.end.fulfil(.loopStopped) }
        }
    }
}

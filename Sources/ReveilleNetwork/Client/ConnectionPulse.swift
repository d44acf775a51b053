package import ReveilleRuntime

/// Whether the other side of a connection is still there: when to ask, how long to wait, when to give up.
///
/// A pure rule: it is told what happened and answers what to do.
package struct ConnectionPulse: Sendable {
    /// How long to wait for what.
    package struct Limits: Sendable, Equatable {
        /// A connection on which nothing was heard for so long is asked with a PING, also before it is used again.
        package var idle: Duration = .seconds(60)
        /// With requests under way, silence of this length is asked about: half of a request's time, so that the answer is
        /// known when the first of them runs out.
        package var busy: Duration = .seconds(5)
        /// How long an idle connection has to answer.
        package var idleAnswer: Duration = .seconds(10)
        /// How long a connection has to answer that is needed now: with the time to connect anew it stays below a request's
        /// deadline.
        package var neededAnswer: Duration = .seconds(5)

        /// The limits of a sender.
        package init() {}
    }

    /// What to do.
    package enum Step: Sendable, Equatable {
        case nothing
        /// Send a PING.
        case ask
        /// The other side is gone.
        case giveUp
    }

    private enum State: Equatable {
        case heard
        case asked(until: MonotonicInstant)
    }

    private let limits: Limits
    private var lastHeard: MonotonicInstant
    private var state = State.heard

    /// A connection that has just been opened.
    package init(limits: Limits = Limits(), openedAt: MonotonicInstant) {
        self.limits = limits
        lastHeard = openedAt
    }

    /// Something came from the other side, whatever it was.
    package mutating func heard(at now: MonotonicInstant) {
        lastHeard = now
        state = .heard
    }

    /// Whether new requests should wait until the other side is heard of.
    package func isDoubtful(at now: MonotonicInstant) -> Bool {
        switch state {
        case .asked: true
        case .heard: now >= lastHeard + limits.idle
        }
    }

    /// There are requests to send: asks first when nothing was heard for long.
    package mutating func needed(at now: MonotonicInstant) -> Step {
        switch state {
        case .asked(let until):
            state = .asked(until: min(until, now + limits.neededAnswer))
            return .nothing
        case .heard:
            guard now >= lastHeard + limits.idle else { return .nothing }
            state = .asked(until: now + limits.neededAnswer)
            return .ask
        }
    }

    /// Time has passed.
    ///
    /// - Parameter busySince: When the oldest request under way was sent; nil when there is none.
    package mutating func tick(at now: MonotonicInstant, busySince: MonotonicInstant?) -> Step {
        switch state {
        case .asked(let until): return now >= until ? .giveUp : .nothing
        case .heard:
            guard now >= nextTick(busySince: busySince) else { return .nothing }
            state = .asked(until: now + (busySince == nil ? limits.idleAnswer : limits.neededAnswer))
            return .ask
        }
    }

    /// When ``tick(at:busySince:)`` has something to do at the earliest.
    package func nextTick(busySince: MonotonicInstant?) -> MonotonicInstant {
        switch state {
        case .asked(let until): return until
        case .heard:
            guard let busySince else { return lastHeard + limits.idle }
            return max(lastHeard, busySince) + limits.busy
        }
    }

    /// Whether nothing was heard since an instant although it was asked for.
    package func isSilent(since instant: MonotonicInstant) -> Bool {
        switch state {
        case .asked: lastHeard <= instant
        case .heard: false
        }
    }
}

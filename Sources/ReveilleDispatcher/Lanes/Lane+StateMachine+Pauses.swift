import ReveilleCore
import ReveilleStorage

/// Pauses of a lane or topic until an operator acts, and the probes that end them.
extension LaneMachine {
    /// Devices that must name a fault of their topic, with nothing accepted between, before the lane pauses.
    static let devicesThatPauseLane = 3

    /// An answer says that an operator must act.
    ///
    /// - Parameter laneDevices: How many devices the lane has, where the store has said so: a lane pauses when all of its devices
    ///   name a fault, though they be less than three.
    mutating func pause(
        for scope: MisconfigurationScope, topic: String, _ device: DeviceRow, _ reason: ProviderReason,
        laneDevices: Int64? = nil, at now: LaneTime
    ) {
        switch scope {
        case .lane: return pause(.lane, reason, at: now)
        case .topic: pause(.topic(topic), reason, at: now)
        case .subscription: paceDevice(device, seconds: RetrySchedule.firstStepSeconds, at: now)
        }
        faultyDevices.insert(device)
        let enough = min(Int64(Self.devicesThatPauseLane), laneDevices ?? .max)
        if Int64(faultyDevices.count) >= enough { pause(.lane, reason, at: now) }
    }

    private mutating func pause(_ scope: PauseScope, _ reason: ProviderReason, at now: LaneTime) {
        guard self[pause: scope] == nil else { return }
        self[pause: scope] = Pause(
            reason: reason, failures: 1, nextProbe: now.steady + LaneBackoff.probeDelayMilliseconds(failures: 1))
        pauseRecords[scope] = .some(reason)
        pauseChanges += 1
        catchUps.remove(scope)
        returnUnsent(as: .laneMisconfigured, topic: scope.topic, keepingProbes: true)
    }

    /// Takes over pauses that another process recorded: the store holds new wakes from then on, so somebody must probe.
    mutating func adopt(_ pauses: [PauseScope: ProviderReason], at now: LaneTime) {
        for (scope, reason) in pauses.sorted(by: { PauseScope.precedes($0.key, $1.key) })
        where self[pause: scope] == nil && pauseRecords[scope] == nil && recordingPause?.scope != scope {
            self[pause: scope] = Pause(reason: reason, failures: 1, nextProbe: now.steady)
            pauseChanges += 1
            returnUnsent(as: .laneMisconfigured, topic: scope.topic, keepingProbes: true)
        }
    }

    /// Wakes may be held that no pause will ever release; those of a pause of this lane are left to its end.
    mutating func catchUpStranded() {
        if lanePause == nil, catchingUp != .lane { catchUps.insert(.lane) }
    }

    /// The end of a probe was recorded, or it never went out.
    mutating func probeDidEnd(_ scope: PauseScope, topic: String, _ change: LaneChange, at now: LaneTime) {
        if probing == scope { probing = nil }
        guard var pause = self[pause: scope] else { return }
        switch change {
        case .healthy:
            resume(scope, at: now)
            // What proved the lane proved its own topic as well.
            if self[pause: .topic(topic)] != nil { resume(.topic(topic), at: now) }
            return
        case .misconfigured(let reason, _):
            pause.failures += 1
            pause.reason = reason
            pause.nextProbe = now.steady + LaneBackoff.probeDelayMilliseconds(failures: pause.failures)
        case .none, .paced, .counted:
            // Answered, but not by a yes: neither a proof nor another failure.
            pause.nextProbe = now.steady + LaneBackoff.probeDelayMilliseconds(failures: 1)
        }
        self[pause: scope] = pause
    }

    private mutating func resume(_ scope: PauseScope, at now: LaneTime) {
        self[pause: scope] = nil
        pauseRecords[scope] = .some(nil)
        pauseChanges += 1
        catchUps.insert(scope)
        faultyDevices.removeAll()
        mustAskDue = true
        becomeHungry()
    }

    /// Settings changed, or somebody asks for a probe: what is paused or slowed down is tried at once.
    mutating func settingsDidChange(at now: LaneTime) {
        tryInSpiteOfPace(at: now)
        for scope in pausedScopes where probing != scope {
            self[pause: scope]?.failures = 0
            self[pause: scope]?.nextProbe = now.steady
        }
    }

    /// A wake came that a pause without anything to probe with may have waited for.
    mutating func wakeIdleProbes(at now: LaneTime) {
        for scope in pausedScopes where probing != scope && self[pause: scope]?.waitsForWake == true {
            self[pause: scope]?.waitsForWake = false
            self[pause: scope]?.nextProbe = now.steady
        }
    }

    /// The store had no wake to probe with.
    ///
    /// It is asked again after a minute: new wakes of a paused lane are held at once, and nobody tells of those.
    mutating func foundNoProbe(at now: LaneTime) {
        guard let scope = probing else { return }
        probing = nil
        self[pause: scope]?.waitsForWake = true
        self[pause: scope]?.nextProbe = now.steady + LaneBackoff.probeDelayMilliseconds(failures: 1)
    }

    /// A probe left the lane without being sent.
    mutating func endProbe(of entry: WakeTable.Entry) {
        guard let scope = entry.probe, probing == scope else { return }
        probing = nil
        self[pause: scope]?.nextProbe = .min
    }

    /// The scope to be probed now: the lane first, since its topics cannot be probed without it.
    func scopeToProbe(at now: LaneTime) -> PauseScope? {
        guard probing == nil, mayWorkAtAll(at: now), !isPaced(at: now), canReachProvider else { return nil }
        if let lanePause { return lanePause.isDue(at: now) ? .lane : nil }
        return topicPauses.filter { $0.value.isDue(at: now) }.keys.min().map { .topic($0) }
    }

    /// Whether the provider is connected and lets no request begin.
    var isBlocked: Bool {
        switch senderState {
        case .blocked: true
        case .idle, .opening, .ready, .backingOff, .drained: false
        }
    }

    var canReachProvider: Bool {
        switch senderState {
        case .idle, .opening, .ready, .blocked: true
        case .backingOff, .drained: false
        }
    }

    /// All that is paused.
    var pausedScopes: [PauseScope] {
        (lanePause == nil ? [] : [.lane]) + topicPauses.keys.sorted().map { .topic($0) }
    }

    subscript(pause scope: PauseScope) -> Pause? {
        get {
            switch scope {
            case .lane: lanePause
            case .topic(let topic): topicPauses[topic]
            }
        }
        set {
            switch scope {
            case .lane: lanePause = newValue
            case .topic(let topic): topicPauses[topic] = newValue
            }
        }
    }
}

extension Pause {
    func isDue(at now: LaneTime) -> Bool { nextProbe.map { $0 <= now.steady } ?? false }
}

import ReveilleCore
import ReveilleRuntime
import ReveilleStorage

/// All that a lane decides: which wake goes next, what the store is asked, what waits and for how long.
///
/// A value without effects. Events go in as calls with a reading of the clocks; what must be done comes out of
/// ``nextCommand(at:)``, ``nextLease(at:room:)``, ``nextDeadline(at:)`` and ``takeSignal()``. Wakes are only ever in one place: a queue,
/// a call of the store, in flight, or waiting for their end to be recorded.
struct LaneMachine {
    /// The queues, in the order in which they are served.
    enum QueueName: Int, CaseIterable {
        /// Probes of a paused lane or topic; they go in spite of the pause.
        case probes
        /// Wakes that were looked up again: the oldest.
        case verified
        /// Wakes of the store's backlog, oldest due first.
        case overdue
        /// Wakes leased at insert, in commit order.
        case fresh
    }

    /// Whether the lane works.
    enum Phase {
        case open
        /// The process ends: nothing is leased or sent any more.
        case stopping
    }

    let limits: LaneLimits
    let random: any RandomSource
    var phase = Phase.open
    var senderState = SenderState.idle
    /// What a lease must have left before the first byte.
    var requiredLeaseMilliseconds: Int64
    /// The mark of leases made now.
    var token: Int64

    var table = WakeTable()
    /// The wakes that may be sent: for each of ``QueueName`` one queue of each standing.
    var queues = QueueName.allCases.flatMap { _ in TokenStanding.allCases.map { _ in TagQueue() } }

    var gates = Array(repeating: CallGate(), count: LaneCommand.Kind.allCases.count)
    var ended: [EndedTry] = []
    var settling = 0
    var returning = ReturnList()
    var renewals: [RenewalBatch] = []
    var renewing: RenewalBatch?
    var verifying: [UInt64] = []
    var verifyStartedAt: Int64 = 0
    var leasing = 0
    var leaseStartedAt: Int64 = 0
    var probeStartedAt: Int64 = 0
    /// Revoked while a call that leases runs: its answer may still hold them.
    var revokedMeanwhile: Set<WakeRow> = []
    var distrustsAnswer = false

    var lanePause: Pause?
    /// Counts beginnings and ends of pauses, for the log.
    var pauseChanges = 0
    var topicPauses: [String: Pause] = [:]
    var probing: PauseScope?
    var pauseRecords: [PauseScope: ProviderReason?] = [:]
    var recordingPause: (scope: PauseScope, reason: ProviderReason?)?
    var catchingUp: PauseScope?
    var catchUps: Set<PauseScope> = []
    /// Devices that named a fault of their topic or subscription since the last accepted send.
    var faultyDevices: Set<DeviceRow> = []

    var pacedUntil: Int64 = .min
    /// Somebody ended the provider's wish for patience: one wake goes out and the rest waits for its answer.
    var isOnTrial = false
    /// A wake for the trial must be leased, though none may be due.
    var wantsTrialWake = false
    /// Until when the provider wants nothing for a device, on the steady clock.
    var pacedDevices: [DeviceRow: Int64] = [:]

    var quarantine = QuarantineWatch()
    /// When the earliest wake that the store keeps is due, on the wall clock.
    var nextDue: Int64?
    var mustAskDue = true
    var nextRenewal: Int64?
    var rate: RateMeter
    var jump = ClockJump()
    /// Between a jump of the wall clock and the store's new plan nothing is leased or sent.
    var awaitsPlan = false
    /// The standings of tokens for which a connection asked in vain, or may: by ``TokenStanding``'s number.
    var hungry = Array(repeating: true, count: TokenStanding.allCases.count)
    var lastAccepted: Int64?
    var lastFailure: (at: Int64, reason: ProviderReason)?

    /// A lane that holds nothing.
    ///
    /// - Parameter pauses: what was paused when the process ended; it is probed at once, since settings may have changed.
    init(
        limits: LaneLimits, random: any RandomSource, pauses: [PauseScope: ProviderReason], at now: LaneTime
    ) {
        self.limits = limits
        self.random = random
        // Until a sender says how long its requests may take, nothing is pulled.
        requiredLeaseMilliseconds = limits.leaseMilliseconds
        token = Self.drawToken(random)
        rate = RateMeter(initial: Double(limits.initialCapacity) * 2_000 / Double(limits.leaseMilliseconds))
        for (scope, reason) in pauses {
            let pause = Pause(reason: reason, failures: 0, nextProbe: now.steady)
            switch scope {
            case .lane: lanePause = pause
            case .topic(let topic): topicPauses[topic] = pause
            }
        }
    }

    /// Holds the clocks against each other; true when the wall clock jumped and the store must plan anew.
    mutating func observe(_ now: LaneTime) -> Bool {
        guard let difference = jump.observe(wall: now.wall, steady: now.steady) else { return false }
        awaitsPlan = true
        nextDue = nil
        // What was noted by the old wall clock, and not handed to the store yet, moves with it.
        for index in ended.indices.dropFirst(settling) { ended[index] = ended[index].shifted(by: difference) }
        returning.forgetTimes()
        returnUnsent(as: .waiting)
        return true
    }

    /// The store planned anew after a jump.
    mutating func planned() {
        awaitsPlan = false
        mustAskDue = true
        becomeHungry()
    }

    /// Ends leasing and sending; what was not sent goes back.
    mutating func stop() {
        phase = .stopping
        returnUnsent(as: .waiting)
    }

    /// Whether everything that began is finished and recorded.
    var isDrained: Bool {
        table.count == 0 && ended.isEmpty && returning.isEmpty && !gates.contains(where: \.isRunning)
    }

    /// How many wakes the lane would hold now.
    func capacity(at now: LaneTime) -> Int {
        guard isOpen(at: now) else { return 0 }
        switch senderState {
        case .backingOff, .drained: return 0
        case .idle, .opening, .blocked: return min(limits.openingCapacity, measuredCapacity)
        case .ready: return measuredCapacity
        }
    }

    /// What the lane can send within half a lease, by the rate it was seen to have.
    private var measuredCapacity: Int {
        let wakes = rate.estimate * Double(limits.leaseMilliseconds) / 2_000
        return min(max(Int(wakes), limits.smallestCapacity), limits.largestCapacity)
    }

    /// Whether ordinary wakes may be leased.
    func isOpen(at now: LaneTime) -> Bool {
        phase == .open && lanePause == nil && mayWorkAtAll(at: now) && !isPacedForLong(at: now)
    }

    /// Whether anything, a probe included, may be leased or sent.
    func mayWorkAtAll(at now: LaneTime) -> Bool {
        phase == .open && !awaitsPlan && self[gate: .settle].failures == 0
    }

    func isPaced(at now: LaneTime) -> Bool { pacedUntil > now.steady }

    func isPacedForLong(at now: LaneTime) -> Bool {
        pacedUntil > now.steady && pacedUntil - now.steady > limits.patienceMilliseconds
    }

    /// Whether a try may leave now, as far as the provider's wishes go.
    func mayTry(at now: LaneTime) -> Bool { !isPaced(at: now) && !(isOnTrial && table.inFlight > 0) }

    /// Connections of either standing may find something that they did not find before.
    mutating func becomeHungry() {
        for index in hungry.indices { hungry[index] = true }
    }

    subscript(queue name: QueueName, standing: TokenStanding) -> TagQueue {
        get { queues[Self.place(of: name, standing)] }
        _modify { yield &queues[Self.place(of: name, standing)] }
    }

    private static func place(of name: QueueName, _ standing: TokenStanding) -> Int {
        // Two standings; the number is written out because this stands in the path of every wake.
        name.rawValue * 2 + standing.rawValue
    }

    subscript(gate kind: LaneCommand.Kind) -> CallGate {
        get { gates[kind.rawValue] }
        _modify { yield &gates[kind.rawValue] }
    }

    static func drawToken(_ random: any RandomSource) -> Int64 {
        Int64(truncatingIfNeeded: random.uint64() >> 2) + 1
    }
}

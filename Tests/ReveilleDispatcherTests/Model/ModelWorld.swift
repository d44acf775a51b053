import ReveilleCore
import ReveilleDispatcher
import ReveilleRuntime
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTesting
import Testing

/// Two processes on one file, a provider and some people, all moved by one seed.
final class ModelWorld {
    struct InFlight {
        let process: Int
        let lane: Int
        let request: SentRequest
        let wake: WakeRow
        /// By the steady clock.
        let sentAt: Int64
    }

    static let reason = ProviderReason("SomeReason")
    static let profiles = ["anna", "ben", "cleo"]

    let random: SeededRandom
    /// Whether the wall clock jumps now and then; some checks by the wall clock are only made where it does not.
    let jumps: Bool
    let clock = ManualClock()
    let rig: StoreRig
    var processes: [ModelProcess?] = [nil, nil]
    var reference = ModelReference()
    var inFlight: [InFlight] = []
    var failures: [String] = []
    var tokenCount: UInt32 = 0
    var installCount = 0
    var starts: UInt64 = 0
    private(set) var log: [String] = []

    init(seed: UInt64, jumps: Bool, path: String) {
        self.jumps = jumps
        random = SeededRandom(seed: seed)
        rig = StoreRig(path: path, wall: clock, steady: clock)
    }

    var steady: Int64 { (clock.now() as MonotonicInstant).nanoseconds / 1_000_000 }
    var wall: Int64 { (clock.now() as WallInstant).milliseconds }

    func chance(_ percent: Int) -> Bool { random.uniform(0..<100) < percent }
    func pick<Element>(_ list: [Element]) -> Element? {
        list.isEmpty ? nil : list[random.uniform(0..<list.count)]
    }

    /// Notes a step; the last ones explain a failure.
    func note(_ text: String) {
        log.append(text)
        if log.count > 200 { log.removeFirst(40) }
    }

    func fail(_ text: String) {
        if failures.count < 5 {
            failures.append("\(text)\n  after: \(log.suffix(failures.isEmpty ? 80 : 10).joined(separator: " | "))")
        }
    }

    // MARK: Processes

    func start(_ number: Int) async throws {
        guard processes[number] == nil else { return }
        starts += 1
        let store = try await rig.open(seed: random.uint64())
        processes[number] = try await ModelProcess(
            number: number, store: store, clock: clock, seed: random.uint64())
        note("start \(number)")
    }

    /// The process dies: nothing goes back, answers in flight are lost.
    func crash(_ number: Int) async {
        guard let process = processes[number] else { return }
        processes[number] = nil
        inFlight.removeAll { $0.process == number }
        await process.store.close()
        note("crash \(number)")
    }

    var anyProcess: ModelProcess? { pick(processes.compactMap { $0 }) }
    var anyStore: SQLiteHomeStore? { anyProcess?.store }

    // MARK: Calls of the store

    /// Makes one call that a lane waits for, or lets it fail.
    func performOne(_ process: ModelProcess, _ lane: ModelLane, failing: Bool) async {
        guard !lane.host.calls.isEmpty else { return }
        let command = lane.host.takeCall(at: random.uniform(0..<lane.host.calls.count))
        if failing {
            lane.driver.fail(command.kind, StoreError(.busy))
            note("p\(process.number) \(command.kind) fails")
        } else {
            do {
                let reply = try await process.store.perform(command, for: lane.key)
                remember(command, reply, process, lane)
                lane.driver.handle(reply)
                note("p\(process.number) \(command.kind)")
            } catch {
                lane.driver.fail(command.kind, error)
                fail("the store threw \(error.code) for \(command.kind)")
            }
        }
        lane.turn()
    }

    private func remember(_ command: LaneCommand, _ reply: LaneReply, _ process: ModelProcess, _ lane: ModelLane) {
        collectTaken()
        switch (command, reply) {
        case (_, .leased(let wakes)): for wake in wakes { lease(wake.wake, process, wake.lease.untilMilliseconds) }
        case (_, .probeLeased(let wake?)): lease(wake.wake, process, wake.lease.untilMilliseconds)
        case (.renew(let rows, _, let until), .renewed(let lost)):
            for row in rows where !lost.contains(row) { lease(row, process, until) }
        case (.giveBack(let wakes, let reason), _):
            for given in wakes {
                history[given.wake, default: []].append("p\(process.number) gives back at \(steady): \(reason)")
            }
        case (_, .settled(let tries)): for settled in tries { remember(settled, lane) }
        default: break
        }
    }

    /// Leases made at insert by any process since the last look.
    func collectTaken() {
        for case let process? in processes {
            for taken in process.intake.collectTaken() { lease(taken.wake, process, taken.until) }
        }
    }

    private func lease(_ wake: WakeRow, _ process: ModelProcess, _ until: Int64) {
        reference.leases[wake] = (process.number, until)
        history[wake, default: []].append("p\(process.number) at \(steady) until \(until) after \(log.last ?? "")")
        process.intake.leasedAnew(wake)
    }

    private func remember(_ settled: SettledTry, _ lane: ModelLane) {
        switch settled.settlement.device {
        case .disable, .quarantine:
            if reference.answeredLate.contains(settled.wake), !reference.jumped {
                fail("wake \(settled.wake.number): an answer from before the registration spoke against the device")
            }
        case .none, .succeeded, .noteRefusal: break
        }
        guard case .disable = settled.settlement.device else { return }
        if let device = deviceOf[settled.wake] {
            reference.disabledDevices.insert(device)
        }
        let key = "\(lane.key.destination.place) \(settled.topic) \(Brake.day(ofMilliseconds: wall))"
        reference.disabled[key, default: 0] += 1
        // A handful of devices: the limit is two a day.
        if reference.disabled[key, default: 0] > Brake.smallestDailyLimit, !reference.jumped {
            fail("\(key): more devices were disabled than the brake allows")
        }
    }

    /// Makes every call that waits, until none does.
    func performAll() async {
        for _ in 0..<200 {
            var wasQuiet = true
            for case let process? in processes {
                for lane in process.lanes {
                    lane.turn()
                    while !lane.host.calls.isEmpty {
                        wasQuiet = false
                        await performOne(process, lane, failing: false)
                    }
                }
            }
            if wasQuiet { return }
        }
        fail("lanes never come to rest")
    }

    // MARK: The wire

    /// A free stream of a lane asks for a try, and everything that may be said of the request is checked.
    func pull(_ process: ModelProcess, _ index: Int) async throws {
        collectTaken()
        let lane = process.lanes[index]
        guard let request = lane.pull() else { return }
        guard let wake = process.store.secrets.publicIDs.wake(requestID: request.requestID) else {
            fail("a request names no wake")
            return
        }
        note("p\(process.number) sends \(wake.number)")
        inFlight.append(InFlight(process: process.number, lane: index, request: request, wake: wake, sentAt: steady))
        checkHolder(wake, process)
        checkBytes(wake, request)
        try await checkStillWanted(wake, process, request)
    }

    private func checkHolder(_ wake: WakeRow, _ process: ModelProcess) {
        guard let lease = reference.leases[wake] else { return fail("wake \(wake.number) was sent without a lease") }
        if lease.process != process.number || lease.until <= steady {
            fail(
                "wake \(wake.number) was sent by p\(process.number), leased by p\(lease.process) until \(lease.until) at \(steady)"
                    + " history \(history[wake] ?? [])")
        }
        let others = inFlight.filter { $0.wake == wake && $0.process != process.number }
        for other in others where processes[other.process] != nil && lease.process == other.process {
            fail("wake \(wake.number) is in flight twice under one lease")
        }
    }

    private func checkBytes(_ wake: WakeRow, _ request: SentRequest) {
        guard let first = reference.requests[wake] else {
            reference.requests[wake] = request
            return
        }
        let isSame =
            first.payload == request.payload && first.collapse == request.collapse && first.topic == request.topic
            && first.mode == request.mode && first.token == request.token
            && (reference.jumped || first.expirationSeconds == request.expirationSeconds)
        // A wake that went back unsent may have merged before it was really sent; then nothing left yet.
        if !isSame, wasSent.contains(wake) { fail("wake \(wake.number) was repeated with other bytes") }
        reference.requests[wake] = request
    }

    /// Who leased each wake when, for the report of a failure.
    private var history: [WakeRow: [String]] = [:]
    /// Wakes of which a byte left, and whose they are.
    private(set) var wasSent: Set<WakeRow> = []
    private(set) var deviceOf: [WakeRow: DeviceRow] = [:]

    private func checkStillWanted(_ wake: WakeRow, _ process: ModelProcess, _ request: SentRequest) async throws {
        wasSent.insert(wake)
        guard let record = try await process.store.wake(wake) else { return fail("wake \(wake.number) is gone") }
        deviceOf[wake] = record.device
        // What this process was told counts at once; what another one wrote within the second of a look-up.
        if process.intake.wasRevoked(wake) { fail("wake \(wake.number) was sent after it was revoked") }
        let age = record.settledAtMilliseconds.map { wall - $0 } ?? 0
        // Answers are dated when they came, not when they were recorded; a cancellation is dated by its commit.
        if record.state == .cancelled, age > 1_000, !isAfterJump(within: 7_200_000) {
            fail("wake \(wake.number) was sent although it is \(record.state.word) for \(age) ms")
        }
        if let since = reference.withdrawn[record.device], steady - since > 1_000 {
            fail("wake \(wake.number) was sent to a device that left \(steady - since) ms ago")
        }
        if record.expiresAtMilliseconds <= wall, !isAfterJump(within: ClockJump.graceMilliseconds) {
            fail("wake \(wake.number) was sent after its life")
        }
    }

    /// Whether the wall clock jumped less than so many milliseconds ago.
    private func isAfterJump(within milliseconds: Int64) -> Bool {
        reference.jumpedAt.map { steady - $0 < milliseconds } ?? false
    }

    private func noteLateness(of sent: InFlight, _ outcome: Outcome) {
        let isLate = deviceOf[sent.wake].flatMap { reference.registeredAt[$0] }.map { sent.sentAt < $0 } ?? false
        switch outcome {
        case .deviceGone where isLate, .wrongEnvironment where isLate: reference.answeredLate.insert(sent.wake)
        case .accepted, .retry, .unknown, .renewCredential, .deviceGone, .wrongEnvironment, .misconfigured, .refused:
            reference.answeredLate.remove(sent.wake)
        }
    }

    /// The provider answers, or the connection dies before it can.
    func answer(_ index: Int, _ outcome: Outcome, providerTook: Bool) {
        let sent = inFlight.remove(at: index)
        guard let process = processes[sent.process] else { return }
        if providerTook { reference.accepted.insert(sent.wake) }
        switch outcome {
        case .refused, .deviceGone, .wrongEnvironment: reference.refused.insert(sent.wake)
        case .accepted, .retry, .unknown, .renewCredential, .misconfigured: break
        }
        noteLateness(of: sent, outcome)
        let lane = process.lanes[sent.lane]
        lane.driver.tryDidEnd(tag: sent.request.tag, result: TryResult(outcome: outcome, status: 0))
        lane.turn()
        note("p\(sent.process) \(sent.wake.number) ends \(ModelSteps.word(outcome))")
    }
}

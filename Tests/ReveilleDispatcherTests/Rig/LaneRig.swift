import ReveilleCore
import ReveilleDispatcher
import ReveilleRuntime
import ReveilleStorage
import ReveilleTelemetry
import ReveilleTesting
import Testing

/// One lane without loop, store or network: the test plays all three.
final class LaneRig {
    static let key = LaneKey.apns(.production)
    static let ids = PublicIDs(permutation: MirrorPermutation())
    static let reason = ProviderReason("SomeReason")

    let clock = ManualClock()
    let host: SteppedHost
    let sender: HandSender
    let mailbox: LaneMailbox
    let driver: LaneDriver
    let registry = MetricsRegistry()
    let limits: LaneLimits
    let buffer = TryBuffer()
    private(set) var inFlight: [Int64: UInt64] = [:]

    init(
        limits: LaneLimits = LaneLimits(), pauses: [PauseScope: ProviderReason] = [:], deadlineSeconds: Int64 = 10,
        state: SenderState = .ready
    ) {
        self.limits = limits
        host = SteppedHost(clock: clock)
        sender = HandSender(requestDeadlineSeconds: deadlineSeconds)
        mailbox = LaneMailbox(steady: clock, leaseMilliseconds: limits.leaseMilliseconds, ring: {})
        driver = LaneDriver(
            key: Self.key, limits: limits, pauses: pauses, mailbox: mailbox, tokens: PlainTokens(), ids: Self.ids,
            collapses: nil,
            random: SeededRandom(seed: 7), metrics: DispatcherMetrics(registry: registry, reasons: [Self.reason]),
            log: .silent, at: host.time())
        driver.host = host
        driver.use(sender)
        if state != .idle { driver.senderDidChange(state) }
        turn()
        // Nothing waits in the store unless a test says so.
        if host.takeCall(.nextDue) != nil { driver.handle(.nextDue(nil)) }
        turn()
    }

    var now: LaneTime { host.time() }
    var health: LaneHealth { driver.health() ?? LaneHealth(notConfigured: Self.key) }

    /// Looks at the mailbox and lets everything run that asks.
    func turn() {
        driver.attend()
        host.run(driver)
    }

    /// Moves both clocks, stopping at each moment at which the lane wanted to be looked at.
    func advance(milliseconds: Int64) {
        var left = milliseconds
        while left > 0 {
            let step = min(left, max(1, host.untilDeadline ?? left))
            clock.advance(by: .milliseconds(step))
            left -= step
            host.run(driver)
        }
    }

    /// A wake as the store hands it over, leased now.
    func wake(
        _ row: Int64, device: Int64? = nil, topic: String = "org.example", lease: Int64? = nil, token: Int64 = 1,
        life: Int64 = 86_400_000, failures: Int64 = 0, sealed: [UInt8] = [0xAB, 0xCD], mode: WakeMode = .privateAlert,
        standing: TokenStanding = .proven
    ) -> LeasedWake {
        LeasedWake(
            wake: WakeRow(row),
            lease: Lease(token: token, untilMilliseconds: now.steady + (lease ?? limits.leaseMilliseconds)),
            device: DeviceRow(device ?? 1_000 + row), delivery: DeliveryRow(2_000 + row), sealedToken: sealed,
            standing: standing, topic: topic, shape: .reveille, mode: mode, reason: .changed,
            collapse: CollapseID(stored: "C\(row)"),
            expiresAtMilliseconds: now.wall + life, failures: failures, verificationCode: nil,
            committedAtMilliseconds: now.steady)
    }

    /// Wakes leased at insert.
    func take(_ wakes: [LeasedWake]) {
        mailbox.take(wakes)
        turn()
    }

    /// The next request that a free stream for tokens of a standing gets.
    func pull(_ standing: TokenStanding = .proven) -> SentRequest? {
        guard driver.nextTry(of: standing, into: buffer) else {
            turn()
            return nil
        }
        let request = SentRequest(buffer)
        if let wake = Self.ids.wake(requestID: request.requestID) { inFlight[wake.number] = request.tag }
        turn()
        return request
    }

    /// Pulls until there is nothing, and names the wakes.
    func pullAll(_ standing: TokenStanding = .proven) -> [Int64] {
        var rows: [Int64] = []
        while let request = pull(standing), let wake = Self.ids.wake(requestID: request.requestID) {
            rows.append(wake.number)
        }
        return rows
    }

    /// The provider's answer to a wake in flight.
    func end(_ row: Int64, _ outcome: Outcome, status: Int = 0) throws {
        let held = inFlight.removeValue(forKey: row)
        let tag = try #require(held, "wake \(row) is not in flight")
        driver.tryDidEnd(tag: tag, result: TryResult(outcome: outcome, status: status))
        turn()
    }

    /// Answers the oldest call of a kind; the call that was answered.
    @discardableResult
    func answer(_ kind: LaneCommand.Kind, _ reply: LaneReply) throws -> LaneCommand {
        let call = try #require(host.takeCall(kind), "no \(kind) was asked for")
        driver.handle(reply)
        turn()
        return call
    }

    /// Fails the oldest call of a kind.
    func refuse(_ kind: LaneCommand.Kind, _ code: StoreError.Code = .busy) throws {
        _ = try #require(host.takeCall(kind), "no \(kind) was asked for")
        driver.fail(kind, StoreError(code))
        turn()
    }

    /// Whether a call of a kind waits for its answer.
    func isAsked(_ kind: LaneCommand.Kind) -> Bool { host.calls.contains { $0.kind == kind } }

    /// Records what ended, each try with what the rule would decide for a lane without history.
    @discardableResult
    func settle(
        _ change: (EndedTry) -> Settlement = { LaneRig.settlement(of: $0) }, due: (EndedTry) -> Int64? = { _ in nil },
        topic: String = "org.example", laneDevices: Int64? = nil
    ) throws -> [EndedTry] {
        let call = try #require(host.takeCall(.settle), "no settle was asked for")
        guard case .settle(let tries) = call else { return [] }
        driver.handle(
            .settled(
                tries.map {
                    SettledTry(
                        wake: $0.wake, topic: topic, settlement: change($0), dueAtMilliseconds: due($0),
                        laneDevices: laneDevices)
                }))
        turn()
        return tries
    }

    static func settlement(of ended: EndedTry) -> Settlement {
        Settlement.decide(
            ended.outcome,
            wake: WakeFacts(
                state: .leased, leaseMatches: true, deviceVersionMatches: true, tokenMatches: true,
                sentToDeviceEnvironment: true, startedAtMilliseconds: ended.startedAtMilliseconds, failures: 0,
                renewedCredentialBefore: false, isProbe: false,
                expiresAtMilliseconds: .max),
            device: DeviceFacts(
                state: .active, registeredAtMilliseconds: 0, environmentProven: true, otherEnvironmentTried: false,
                evidence: .none),
            lane: LaneFacts(lastAcceptedMilliseconds: nil, devices: 1, disabledToday: 0),
            nowMilliseconds: ended.endedAtMilliseconds, unit: 0.5)
    }

    /// The wakes of the oldest unanswered give-back with its reason.
    func givenBack() throws -> (rows: [Int64], reason: GiveBackReason) {
        let call = try #require(host.takeCall(.giveBack), "nothing was given back")
        guard case .giveBack(let wakes, let reason) = call else { return ([], .waiting) }
        driver.handle(.gaveBack)
        turn()
        return (wakes.map(\.wake.number).sorted(), reason)
    }
}

internal import ReveilleCore
internal import ReveilleRuntime
internal import ReveilleSQLite
internal import ReveilleStorage

/// Records how tries of a lane ended, one after the other, so that each sees what the ones before it changed.
struct SettleOperation {
    private let transaction: WriteTransaction
    private let lane: LaneKey
    private let outbox: Outbox
    private let devices: DeviceTable
    private var topics: [Int64: LaneTopicRow] = [:]

    init(_ transaction: WriteTransaction, lane: LaneKey) {
        self.transaction = transaction
        self.lane = lane
        outbox = Outbox(transaction)
        devices = DeviceTable(statements: transaction.statements)
    }

    mutating func run(_ tries: [EndedTry]) throws -> [SettledTry] {
        let now = transaction.now
        // Since the lane read its clock somebody may have set it back: times to come would put off the next try by as much.
        let tries = tries.contains { $0.endedAtMilliseconds > now } ? tries.map { $0.ended(by: now) } : tries
        var settled: [SettledTry] = []
        settled.reserveCapacity(tries.count)
        var index = tries.startIndex
        while index < tries.endIndex {
            let end = tries[index...].firstIndex { $0.outcome != .accepted } ?? tries.endIndex
            if end > index {
                try settleAccepted(tries[index..<end], into: &settled)
                index = end
            } else {
                settled.append(try settle(tries[index]))
                index += 1
            }
        }
        let table = LaneTopicTable(statements: transaction.statements)
        for topic in topics.values { try table.write(topic) }
        return settled
    }

    // MARK: Accepted

    /// What is asked of a wake before it is settled without looking any further.
    private struct Glance {
        /// Unsettled, and all that remains to be said of its device is that a send was accepted.
        let isPlain: Bool
        /// The device whose success must be written, if it must.
        let device: Int64?
        let lane: Int64
        let topic: Int64
    }

    /// The road of nearly every wake: accepted, with a device that nothing speaks against.
    ///
    /// One statement looks at all of them and one settles them; an accepted try changes nothing that the others of
    /// its run depend on.
    private mutating func settleAccepted(_ tries: ArraySlice<EndedTry>, into settled: inout [SettledTry]) throws {
        var wakes: [Int64] = []
        var succeeded: [Int64] = []
        wakes.reserveCapacity(tries.count)
        var latest = Int64.min
        for (ended, glance) in zip(tries, try glances(at: tries)) {
            guard let glance, glance.isPlain else {
                settled.append(try settle(ended))
                continue
            }
            wakes.append(ended.wake.number)
            if let device = glance.device { succeeded.append(device) }
            latest = max(latest, ended.endedAtMilliseconds)
            try withTopic(lane: glance.lane, glance.topic) { $0.accepted(at: ended.endedAtMilliseconds) }
            settled.append(
                SettledTry(
                    wake: ended.wake, topic: try transaction.lanes.topic(of: glance.topic), settlement: Self.accepted,
                    dueAtMilliseconds: nil))
        }
        if !wakes.isEmpty { try outbox.wakes.accept(wakes, now: latest) }
        if !succeeded.isEmpty { try devices.succeed(succeeded, at: latest) }
    }

    private static let accepted = Settlement(
        wake: .settle(.accepted), device: .succeeded(environmentMoved: false), lane: .healthy)

    private func glances(at tries: ArraySlice<EndedTry>) throws -> [Glance?] {
        var glances = [Glance?](repeating: nil, count: tries.count)
        // The device's row is looked at only when the wake says so: it is the page that is seldom in memory.
        let find = try transaction.statements[
            """
            SELECT t.key, w.state < 3 AND (w.attention = 0 OR d.id IS NOT NULL), d.id, w.lane_id, w.topic_id
            FROM json_each(?1) t CROSS JOIN wake w ON w.id = t.value
            LEFT JOIN device d ON d.id = CASE w.attention WHEN 1 THEN w.device_id END
              AND d.state = 0 AND d.version = w.device_version AND d.token_version = w.token_version
              AND d.lane_id = w.lane_id
            """]
        find.bind(1, JSONList.of(tries.lazy.map(\.wake.number)))
        try find.forEach { row in
            glances[Int(row.integer(0))] = Glance(
                isPlain: row.boolean(1), device: row.optionalInteger(2), lane: row.integer(3), topic: row.integer(4))
        }
        return glances
    }

    private mutating func settle(_ ended: EndedTry) throws -> SettledTry {
        guard let wake = try outbox.wakes.find(ended.wake) else {
            return SettledTry(
                wake: ended.wake, topic: "", settlement: Settlement(wake: .none), dueAtMilliseconds: nil)
        }
        let device = try devices.find(wake.device)
        let now = ended.endedAtMilliseconds
        let laneFacts = try withTopic(lane: wake.lane, wake.topic) { $0.facts(now: now) }
        let settlement = Settlement.decide(
            ended.outcome, wake: facts(of: wake, device, ended), device: device.map(facts) ?? Self.noDevice,
            lane: laneFacts, nowMilliseconds: now, unit: transaction.environment.random.unitInterval())
        if ended.outcome != .accepted { try record(ended) }
        let due = try apply(settlement.wake, to: wake, device, ended)
        try apply(settlement.device, to: device, wake, ended)
        try apply(settlement.lane, wake, at: now)
        return SettledTry(
            wake: ended.wake, topic: try transaction.lanes.topic(of: wake.topic), settlement: settlement,
            dueAtMilliseconds: due, laneDevices: try laneDevices(after: settlement.lane, wake))
    }

    /// The devices of a lane on which one subscription spoke of a fault.
    private func laneDevices(after change: LaneChange, _ wake: StoredWake) throws -> Int64? {
        switch change {
        case .misconfigured(_, .subscription):
            try LaneTopicTable(statements: transaction.statements).wakeableDevices(lane: wake.lane)
        case .misconfigured(_, .lane), .misconfigured(_, .topic), .none, .healthy, .paced, .counted: nil
        }
    }

    // MARK: Facts

    /// What is asked of a device that was removed; its version never matches.
    private static let noDevice = DeviceFacts(
        state: .needsRegistration, registeredAtMilliseconds: 0, environmentProven: false, otherEnvironmentTried: true,
        evidence: .none)

    private func facts(of device: StoredDevice) -> DeviceFacts {
        var facts = device.facts
        facts.newcomerGraceMilliseconds = lane.provider.newcomerGraceMilliseconds
        return facts
    }

    private func facts(of wake: StoredWake, _ device: StoredDevice?, _ ended: EndedTry) -> WakeFacts {
        WakeFacts(
            state: wake.state, leaseMatches: wake.state == .leased && wake.leaseToken == ended.leaseToken,
            deviceVersionMatches: device?.version == wake.deviceVersion,
            tokenMatches: device?.tokenVersion == wake.tokenVersion,
            sentToDeviceEnvironment: device?.lane == wake.lane, startedAtMilliseconds: ended.startedAtMilliseconds,
            failures: wake.failures,
            renewedCredentialBefore: wake.lastOutcome == .renewCredential, isProbe: wake.isProbe,
            expiresAtMilliseconds: wake.expiresAt, mayExpire: transaction.mayExpire)
    }

    private mutating func withTopic<Result>(
        lane: Int64, _ topic: Int64, _ body: (inout LaneTopicRow) -> Result
    ) throws -> Result {
        // A try reports to one lane, so the topic alone tells its evidence apart.
        var row =
            try topics[topic] ?? LaneTopicTable(statements: transaction.statements).row(lane: lane, topic: topic)
        defer { topics[topic] = row }
        return body(&row)
    }

    // MARK: The wake

    private func apply(
        _ change: WakeChange, to wake: StoredWake, _ device: StoredDevice?, _ ended: EndedTry
    ) throws -> Int64? {
        let wakes = outbox.wakes
        let outcome = StoredOutcome(ended.outcome)
        switch change {
        case .none: return nil
        case .settle(.accepted): try wakes.accept(wake.row, now: ended.endedAtMilliseconds)
        case .settle(.expired): try wakes.expire(wake.row, now: ended.endedAtMilliseconds)
        case .settle(let state): try wakes.settle(wake.row, as: state, now: ended.endedAtMilliseconds)
        case .hold(let reason): try wakes.hold(wake.row, reason, outcome: outcome)
        case .retry(let delay, _):
            let due = ended.endedAtMilliseconds + delay
            try wakes.retry(wake.row, dueMilliseconds: due, outcome: outcome)
            try outbox.tellWaiting(on: wake.lane, dueMilliseconds: due)
            return due
        case .supersede: return Self.due(try Succession(transaction).succeed(wake, of: device))
        case .supersedeInOtherEnvironment:
            guard let device else { return nil }
            return Self.due(try Succession(transaction).succeedInOtherEnvironment(wake, of: device))
        }
        return nil
    }

    private static func due(_ successor: NewWake?) -> Int64? {
        guard case .waiting(let due)? = successor?.placement else { return nil }
        return due
    }

    private func record(_ ended: EndedTry) throws {
        let insert = try transaction.statements[
            """
            INSERT INTO wake_try (wake_id, number, outcome, reason, status, ended_at)
            VALUES (?1, (SELECT coalesce(max(number), 0) + 1 FROM wake_try WHERE wake_id = ?1), ?2, ?3, ?4, ?5)
            """]
        insert.bind(1, ended.wake.number)
        insert.bind(2, StoredOutcome(ended.outcome).rawValue)
        insert.bind(3, ended.outcome.providerReason?.word ?? "")
        insert.bind(4, Int64(ended.status))
        insert.bind(5, ended.endedAtMilliseconds)
        try insert.run()
    }

    // MARK: The device

    private mutating func apply(
        _ change: DeviceChange, to device: StoredDevice?, _ wake: StoredWake, _ ended: EndedTry
    ) throws {
        guard let device else { return }
        let now = ended.endedAtMilliseconds
        let verdicts = DeviceVerdicts(transaction)
        switch change {
        case .none: break
        case .succeeded(let environmentMoved):
            try verdicts.succeeded(device, at: now, lane: environmentMoved ? wake.lane : nil)
        case .noteRefusal(let reason, let evidence):
            try devices.noteFailure(device.row, reason, at: now, evidence: evidence)
            try outbox.askForAttention(device.row)
        case .quarantine(let reason, let evidence):
            try verdicts.quarantine(device, because: wake, ended, reason, evidence)
        case .disable(let reason, let evidence):
            try verdicts.disable(device, because: wake, at: now, reason, evidence)
            try withTopic(lane: wake.lane, wake.topic) { $0.disabledDevice(at: now) }
        }
    }

    // MARK: The lane

    private mutating func apply(_ change: LaneChange, _ wake: StoredWake, at now: Int64) throws {
        switch change {
        case .none: break
        case .healthy: try withTopic(lane: wake.lane, wake.topic) { $0.accepted(at: now) }
        case .misconfigured(let reason, _), .paced(let reason, _), .counted(let reason):
            try withTopic(lane: wake.lane, wake.topic) { $0.failed(at: now, reason) }
        }
    }
}

extension EndedTry {
    /// The same, ended no later than at a time; how long it took stays.
    fileprivate func ended(by milliseconds: Int64) -> EndedTry {
        let excess = max(endedAtMilliseconds - milliseconds, 0)
        return EndedTry(
            wake: wake, leaseToken: leaseToken, outcome: outcome, status: status,
            startedAtMilliseconds: startedAtMilliseconds - excess, endedAtMilliseconds: endedAtMilliseconds - excess)
    }
}

import ReveilleBytes
import ReveilleCore
import ReveilleDispatcher
import ReveilleEmulator
import ReveilleHTTP2
import ReveilleJSON
import ReveilleRuntime
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTesting

/// What is true now, in the words of the table.
struct OutcomeReading: Hashable {
    var wake: WakeColumn
    var device: DeviceColumn
    var lane: LaneColumn
    /// What is recorded of the last try that was not accepted.
    var word: String?
    var status = 0
    /// When the wake is due, in milliseconds from now; nil when it does not wait.
    var dueIn: Int64?
}

extension OutcomeWorld {
    /// Reads all four columns.
    func reading(of wake: WakeRow, _ phone: OutcomePhone) async throws -> OutcomeReading {
        let (column, last) = try await wakeColumn(wake)
        var words = try await store.tries(of: wake)
        if let last, last.row != wake { words += try await store.tries(of: last.row) }
        let isWaiting = last?.state == .waiting
        let posted = try await store.wake(wake)?.createdAtMilliseconds ?? 0
        return OutcomeReading(
            wake: column, device: try await deviceColumn(phone, since: posted), lane: try await laneColumn(),
            word: words.last?.reason.word, status: words.last?.status ?? 0,
            dueIn: isWaiting ? last.map { $0.dueAtMilliseconds - clock.now().milliseconds } : nil)
    }

    /// Follows successors to the wake that stands for the deliveries now.
    private func wakeColumn(_ row: WakeRow) async throws -> (WakeColumn, WakeRecord?) {
        guard let wake = try await store.wake(row) else { return (.gone, nil) }
        let own = try await column(of: wake)
        return wake.lane == .apns(.sandbox) ? (.inSandbox(own.0), own.1) : own
    }

    private func column(of wake: WakeRecord) async throws -> (WakeColumn, WakeRecord?) {
        switch wake.state {
        case .waiting: return (.waiting(wake.failures), wake)
        case .leased: return (.leased, wake)
        case .held: return (wake.hold.map { .held($0) } ?? .gone, wake)
        case .accepted: return (.accepted, wake)
        case .failed: return (.failed, wake)
        case .expired: return (.expired, wake)
        case .cancelled: return (.cancelled, wake)
        case .merged, .superseded:
            guard let successor = wake.successor else { return (.superseded(by: .gone), nil) }
            let (next, last) = try await wakeColumn(successor)
            return (.superseded(by: next), last)
        }
    }

    private func deviceColumn(_ phone: OutcomePhone, since posted: Int64) async throws -> DeviceColumn {
        guard let (owner, admin) = try await views(of: phone) else { return .removed }
        let all = "\(admin)"
        guard owner["state"] == admin["state"], owner["enabled"] == admin["enabled"] else { return .other(all) }
        switch (admin["state"]?.string, admin["quarantined"]?.boolean, admin["enabled"]?.boolean) {
        case ("needs_registration", false, false): return .needsRegistration
        case ("active", true, true): return .quarantined
        case ("active", false, true): break
        default: return .other(all)
        }
        let isInSandbox = admin["apns_environment"] == "sandbox"
        let record = try await store.device(phone.row)
        if let success = record?.lastSuccessMilliseconds, success >= posted {
            return isInSandbox ? .wokenInSandbox : .woken
        }
        if isInSandbox { return .other(all) }
        if admin["last_failure"]?.isNull == true { return .untouched }
        return record?.lastFailureMilliseconds.map { $0 >= posted } == true ? .noted : .other(all)
    }

    private func laneColumn() async throws -> LaneColumn {
        let health = await dispatcher.health().first { $0.key == Self.lane }
        let view = try await laneView()
        guard let health, let state = view["state"]?.string else { return .other("no lane") }
        guard view["condition"]?.string == health.state.rawValue else { return .other("\(health.state) \(view)") }
        let pauses = view["pauses"]?.array ?? []
        switch (health.state, state) {
        case (.working, "healthy"), (.opening, "healthy"): return pauses.isEmpty ? .working : .other("\(view)")
        case (.working, "topics_paused"):
            return health.pausedTopics.map(\.topic) == pauses.compactMap { $0["topic"]?.string }
                ? .topicPaused : .other("\(view)")
        case (.paused, "paused"):
            return pauses.contains { $0["topic"]?.isNull == true && $0["reason"]?.string == health.reason?.word }
                ? .paused : .other("\(view)")
        case (.paced, "healthy"): return .paced
        case (.unreachable, "healthy"): return .unreachable
        default: return .other("\(health.state) \(view)")
        }
    }

    /// Requests that Apple saw for a phone's device tokens, oldest first.
    func requests(for tokens: Set<String>) async -> [SeenByApple] {
        await apple.seen().filter { $0.token.map(tokens.contains) ?? false }.map {
            SeenByApple(
                id: $0.head.fields["apns-id"] ?? "", collapse: $0.head.fields["apns-collapse-id"] ?? "",
                body: String(decoding: $0.body, as: UTF8.self), connection: $0.connection)
        }
    }
}

/// What must not change between the tries of one wake, and the connection it came on.
struct SeenByApple: Hashable, Sendable {
    let id: String
    let collapse: String
    let body: String
    let connection: Int
}

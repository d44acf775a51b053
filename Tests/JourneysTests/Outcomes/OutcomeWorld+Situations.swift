import ReveilleCore
import ReveilleEmulator
import ReveilleStorage
import ReveilleStorageSQLite
import Testing

/// Brings about what a row takes for given.
extension OutcomeWorld {
    /// Short of the hour that an accepted send counts as evidence, and older than a provider token must be to be renewed.
    private static let aWhile: Duration = .seconds(21 * 60)

    /// Registers the phone of the row and lets happen what went before.
    func arrange(_ row: OutcomeRow) async throws -> OutcomePhone {
        let phone = try await register("anna", number: 1)
        switch row.given {
        case .fresh: break
        case .justProved:
            try await wakeUp([phone])
            await pass(.seconds(60))
        case .proved:
            try await wakeUp([phone])
            // Its first wake went apart; from the second on it has the connection of proven tokens.
            try await wakeUp([phone])
            await pass(Self.aWhile)
        case .provedLongAgo:
            try await wakeUp([phone])
            await pass(.seconds(61 * 60))
        case .neighbourProved:
            try await wakeUp([try await register("ben", number: 2)])
            await pass(Self.aWhile)
        case .brakeSpent:
            try await wakeUp([phone])
            for (profile, number) in [("ben", 2), ("carla", 3)] {
                let other = try await register(profile, number: number)
                await apple.addFault(
                    AppleFault(.answer(ScriptedAnswer(.unregistered)), match: .init(token: other.token)))
                let wake = try await post([other])
                try await until("a neighbour is disabled") { try await self.store.wake(wake)?.state == .failed }
            }
            await pass(Self.aWhile)
        case .thirdDay:
            for day in 1...2 {
                await apple.addFault(AppleFault(row.action, match: .init(token: phone.token), trigger: .once))
                let wake = try await post([phone])
                try await until("day \(day) has spoken against the device") {
                    try await self.store.tries(of: wake).count >= 1
                }
                await jump(.seconds(86_400))
            }
        }
        return phone
    }

    /// Wakes phones and waits until Apple took it and the store knows.
    func wakeUp(_ phones: [OutcomePhone]) async throws {
        let wake = try await post(phones)
        try await until("a wake is accepted") { try await self.store.wake(wake)?.state == .accepted }
    }

    /// Waits until something is true, looking again whenever the loops did something.
    ///
    /// - Throws: ``WaitedInVain`` when it does not become true however often the loops turn.
    func until(_ what: String, _ condition: () async throws -> Bool) async throws {
        var patience = OutcomePatience()
        while try await !condition() {
            guard patience.lasts() else { throw WaitedInVain(what: what) }
            await breathe()
        }
    }
}

/// How long a condition is waited for: many turns of the loops, and long enough for a slow disk; a stopped machine uses up
/// neither by itself.
struct OutcomePatience {
    private static let turns = 500
    private static let time: Duration = .seconds(20)

    private let start = ContinuousClock.now
    private var turn = 0

    /// Counts a look; false when it was the last.
    mutating func lasts() -> Bool {
        turn += 1
        return turn < Self.turns || ContinuousClock.now - start < Self.time
    }
}

/// A condition did not become true.
struct WaitedInVain: Error, CustomStringConvertible {
    let what: String
    var description: String { "waited in vain until \(what)" }
}

import ReveilleCore
import ReveilleEmulator
import ReveilleRuntime
import ReveilleStorage
import ReveilleStorageSQLite
import Testing

/// Watches a row come about, and proves when the next try goes out.
extension OutcomeWorld {
    /// Lets pass what the row says; returns every token that the phone had.
    func pass(_ row: OutcomeRow, _ phone: inout OutcomePhone, earlier: Int) async throws -> Set<String> {
        let first = phone.token
        switch row.meanwhile {
        case .nothing: break
        case .time(let seconds):
            for count in 1...row.times {
                try await until("request \(count) is under way") {
                    row.action.strikesConnections
                        ? await self.apple.counters().connectionsAccepted == count
                        : await self.requests(for: [first]).count == earlier + count
                }
                // In steps, so that the connection asks whether anybody is there.
                for _ in 0..<seconds { await jump(.seconds(1)) }
            }
        case .rotation, .registration, .removal:
            try await until("the request is under way") { await self.requests(for: [first]).count == earlier + 1 }
            await jump(.seconds(1))
            switch row.meanwhile {
            case .rotation: try await rotate(&phone)
            case .registration: try await registerAgain(phone)
            case .nothing, .time, .removal: try await remove(phone)
            }
            await jump(.seconds(1))
        }
        return [first, phone.token]
    }

    /// Waits until everything is as the row says, and returns what is true then; when it never is, what is true at last.
    func settled(_ row: OutcomeRow, _ wake: WakeRow, _ phone: OutcomePhone) async throws -> OutcomeReading {
        var patience = OutcomePatience()
        while true {
            let now = try await reading(of: wake, phone)
            let isSettled =
                now.wake == row.wake && now.device == row.device && now.lane == row.lane && now.word == row.word
            if isSettled || !patience.lasts() { return now }
            await breathe()
        }
    }

    /// Proves the second column by what Apple sees.
    func prove(
        _ row: OutcomeRow, _ reading: OutcomeReading, _ wake: WakeRow, _ phone: OutcomePhone, _ tokens: Set<String>
    ) async throws {
        let before = await requests(for: tokens).count
        switch row.due {
        case .never:
            #expect(reading.dueIn == nil)
            await pass(.seconds(25 * 60))
            try await rest()
            #expect(await requests(for: tokens).count == before)
            #expect(try await self.reading(of: wake, phone).wake == row.wake)
            return
        case .between(let lower, let upper):
            let dueIn = try #require(reading.dueIn)
            #expect(Double(dueIn) >= lower * 1_000 && Double(dueIn) < upper * 1_000)
            await pass(.milliseconds(max(dueIn - 1, 0)))
            try await rest()
            #expect(await requests(for: tokens).count == before || dueIn == 0)
            await pass(.milliseconds(1))
            // A lane that lost a connection without an answer waits for the next one, if that takes longer.
            if row.lane == .unreachable { await pass(.milliseconds(500)) }
        case .probe(let seconds):
            await pass(.milliseconds(seconds * 1_000 - 1))
            try await rest()
            #expect(await requests(for: tokens).count == before)
            await pass(.milliseconds(1))
        case .nextAccepted:
            await pass(.seconds(20 * 60))
            try await rest()
            #expect(await requests(for: tokens).count == before)
            try await wakeUp([try await register("zoe", number: 9)])
        case .nextVisible:
            await pass(.seconds(20 * 60))
            try await wakeUp([try await register("zoe", number: 9)])
            try await rest()
            #expect(await requests(for: tokens).count == before)
            let next = try await post([phone])
            try await until("the new wake is accepted") { try await self.store.wake(next)?.state == .accepted }
        case .reconnected(let lower, let upper):
            let connections = await apple.counters().connectionsAccepted
            await pass(.milliseconds(Int64(lower * 1_000) - 1))
            try await rest()
            #expect(await apple.counters().connectionsAccepted == connections)
            await pass(.milliseconds(Int64((upper - lower) * 1_000) + 1))
        }
        try await until("the next try has come") { await self.requests(for: tokens).count == before + 1 }
        try await until("everything works again") {
            let now = try await self.reading(of: wake, phone)
            return now.lane == .working && (now.device == .woken || now.device == .wokenInSandbox)
        }
        try await rest()
        #expect(await requests(for: tokens).count == before + 1)
    }
}

extension SeenByApple {
    /// What the first lease froze.
    var frozen: String { id + collapse + body }
}

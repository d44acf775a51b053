import ReveilleCore
import ReveilleEmulator
import Testing

extension OutcomeRow {
    /// Brings the row about on a road of its own, and looks at all four columns.
    func check() async throws {
        try await OutcomeWorld.with { world in
            var phone = try await world.arrange(self)
            let earlier = await world.requests(for: [phone.token]).count
            await world.apple.addFault(
                AppleFault(
                    action, match: action.strikesConnections ? .everything : .init(token: phone.token),
                    trigger: FaultTrigger(first: times)))
            let row = try await world.post([phone])
            let tokens = try await world.pass(self, &phone, earlier: earlier)

            let reading = try await world.settled(self, row, phone)
            #expect(reading.wake == wake)
            #expect(reading.device == device)
            #expect(reading.lane == lane)
            #expect(reading.word == word)
            #expect(reading.status == (word == nil ? 0 : status))
            let seen = await world.requests(for: tokens).dropFirst(earlier)
            #expect(seen.count == requests)
            #expect(Set(seen.map(\.frozen)).count <= (isSuperseded ? 2 : 1))
            try await world.prove(self, reading, row, phone, tokens)
        }
    }

    /// Whether another request takes the place of the first.
    var isSuperseded: Bool {
        if case .superseded = wake { true } else { false }
    }

    /// Status and reason, for an answer that has one.
    var answeredReason: String? {
        guard case .answer(let answer) = action, let reason = answer.reason else { return nil }
        return "\(answer.status) \(reason)"
    }
}

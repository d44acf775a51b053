import ReveilleCore
import ReveilleEmulator
import ReveilleJSON
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTesting
import Testing

@Suite("The brake of a lane with thousands of devices, over the whole road", .timeLimit(.minutes(10)))
struct BrakeProofTests {
    /// Numbers from here on have equally many digits, so that no two make the same token.
    private static let firstNumber = 1 << 20

    /// Accepted sends of the second day: each lets some probes go out, and together they let go more than may be disabled.
    private static let acceptedSends = 8

    /// Posts to everybody, as many at once as a post may name.
    private static func post(_ phones: [OutcomePhone], in world: OutcomeWorld) async throws {
        for start in stride(from: 0, to: phones.count, by: 1_000) {
            let recipients = phones[start..<min(start + 1_000, phones.count)].map { JSONValue.string($0.profile) }
            let answer = try await world.call(
                "POST", "/api/v1/notifications", token: world.producerToken,
                json: [
                    "recipients": .array(recipients), "category": .string(OutcomeWorld.category), "title": "A title",
                ])
            #expect(answer.status == 202)
        }
    }

    /// Lets time pass until something is true: of so many wakes a lane takes into its hands what it can send soon, and comes back
    /// for the rest.
    private static func until(
        _ what: String, in world: OutcomeWorld, _ condition: () async throws -> Bool
    ) async throws {
        for _ in 0..<3_000 {
            if try await condition() { return }
            await world.jump(.seconds(1))
        }
        throw WaitedInVain(what: what)
    }

    @Test("when Apple calls everybody gone, a twentieth is disabled a day, and the rest comes back")
    func everybodyGone() async throws {
        let count = TestScale.count(5_000)
        try await OutcomeWorld.with { world in
            var phones: [OutcomePhone] = []
            for number in 1...count {
                phones.append(try await world.register("profile-\(number)", number: Self.firstNumber + number))
            }
            let good = try await world.register("good", number: Self.firstNumber)
            try await world.wakeUp([good])
            // What strikes first decides: the good one is answered as ever.
            await world.apple.addFault(AppleFault(.delay(milliseconds: 0), match: .init(token: good.token)))
            await world.apple.addFault(AppleFault(.answer(ScriptedAnswer(.unregistered))))
            try await Self.post(phones, in: world)
            try await Self.until("every device has been spoken of", in: world) {
                let counts = try await world.store.deviceCounts()
                return counts.quarantined + counts.needsRegistration == count
            }
            // The share is that of the devices that are left, so it shrinks a little while it is used up.
            let share = Int64(count + 1) * 5 / 100
            let first = try await world.store.deviceCounts()
            #expect((share * 9 / 10...share).contains(first.needsRegistration))
            #expect(first.active == 1)
            #expect(try await world.store.wakeCounts()[.held] == first.quarantined)

            // Accepted sends of the same day bring no further ones.
            try await world.wakeUp([good])
            try await world.rest()
            #expect(try await world.store.deviceCounts().needsRegistration == first.needsRegistration)

            // Into the next day, while what is held still lives.
            await world.jump(.seconds(20 * 3_600))
            for _ in 0..<Self.acceptedSends {
                try await world.wakeUp([good])
                // A lane that knows of no quarantined device looks for some every ten minutes.
                await world.jump(.seconds(601))
                try await world.rest()
            }
            let second = try await world.store.deviceCounts()
            let further = second.needsRegistration - first.needsRegistration
            #expect((share * 8 / 10...share).contains(further), "\(further) of \(share)")
            #expect(second.active == 1 && second.quarantined + second.needsRegistration == count)

            // They were not gone after all: those that were not disabled come back with the next notification.
            await world.apple.removeFaults()
            await world.jump(.seconds(20 * 3_600))
            try await Self.post(phones, in: world)
            try await Self.until("everybody who was kept is woken", in: world) {
                let counts = try await world.store.deviceCounts()
                return counts.active == 1 + second.quarantined && counts.quarantined == 0
            }
            #expect(try await world.store.deviceCounts().needsRegistration == second.needsRegistration)
        }
    }
}

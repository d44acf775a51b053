import ReveilleBytes
import ReveilleCore
import ReveilleEmulator
import ReveilleHTTP2
import ReveilleJSON
import ReveilleStorage
import ReveilleStorageSQLite
import Testing

@Suite("What one answer means for many devices, over the whole road", .serialized, .timeLimit(.minutes(5)))
struct ManyDevicesTests {
    @Test("of many devices only the one that failed is tried again (case 136)")
    func fanOut() async throws {
        try await OutcomeWorld.with { world in
            var phones: [OutcomePhone] = []
            for (number, name) in ["anna", "ben", "carla"].enumerated() {
                phones.append(try await world.register(name, number: number + 1))
            }
            let last = phones[2].token
            await world.apple.addFault(
                AppleFault(.answer(ScriptedAnswer(.serviceUnavailable)), match: .init(token: last), trigger: .once))
            try await world.post(phones)
            try await world.until("two are accepted and one waits") {
                try await world.store.wakeCounts() == [.accepted: 2, .waiting: 1]
            }
            await world.pass(.seconds(60))
            try await world.until("the third is accepted") { try await world.store.wakeCounts() == [.accepted: 3] }
            try await world.rest()
            var sends: [Int] = []
            for phone in phones { sends.append(await world.requests(for: [phone.token]).count) }
            #expect(sends == [1, 1, 2])
            #expect(Set(await world.requests(for: [last]).map(\.frozen)).count == 1)
        }
    }

    @Test("devices that Apple never took a wake for do not share a connection with the others")
    func apart() async throws {
        try await OutcomeWorld.with { world in
            let known = try await world.register("anna", number: 1)
            try await world.wakeUp([known])
            var phones = [known]
            for number in 2...5 { phones.append(try await world.register("new-\(number)", number: number)) }
            for phone in phones.dropFirst() {
                await world.apple.addFault(
                    AppleFault(.answer(ScriptedAnswer(.unregistered)), match: .init(token: phone.token)))
            }
            try await world.post(phones)
            try await world.until("every device has been spoken of") {
                let counts = try await world.store.deviceCounts()
                return counts.quarantined + counts.needsRegistration == 4
            }
            try await world.until("the known one is woken again") {
                await world.requests(for: [known.token]).count == 2
            }
            let seen = await world.apple.seen()
            let ofKnown = seen.filter { $0.token == known.token }.map(\.connection)
            let ofNew = Set(seen.filter { $0.token != known.token }.map(\.connection))
            // Its own first wake went the way of the new ones.
            #expect(ofKnown.count == 2 && ofNew == [ofKnown[0]] && ofKnown[1] != ofKnown[0])
        }
    }

    @Test("a key that the notification's data calls aps stays at home with the rest (case 42)")
    func reservedKey() async throws {
        try await OutcomeWorld.with { world in
            let phone = try await world.register("anna", number: 1)
            let answer = try await world.call(
                "POST", "/api/v1/notifications", token: world.producerToken,
                json: [
                    "recipients": ["anna"], "category": .string(OutcomeWorld.category), "title": "New mail",
                    "data": ["aps": ["alert": "spoofed"], "folder": "INBOX"],
                ])
            #expect(answer.status == 202)
            try await world.until("Apple has seen it") { await world.requests(for: [phone.token]).count == 1 }
            let body = try #require(await world.requests(for: [phone.token]).first).body
            // The reader refuses a key that stands twice.
            #expect(try JSONReader.parse(Array(body.utf8))["aps"]?["alert"]?["loc-key"] != nil)
            #expect(!body.contains("spoofed") && !body.contains("INBOX") && !body.contains("New mail"))
        }
    }

    /// A wrong environment, topic or key makes Apple refuse everybody at once.
    struct Refusal: Sendable, CustomTestStringConvertible {
        let reason: AppleReason
        let devices: Int
        /// Whether the lane had an accepted send in the hour before.
        let hasEvidence: Bool

        var testDescription: String {
            "\(reason.rawValue) for \(devices), \(hasEvidence ? "with" : "without") evidence"
        }

        /// What a lane may disable in a day, its one good device counted too.
        ///
        /// A token that was never accepted is tried in the other environment, where nothing else was accepted either.
        var mayDisable: ClosedRange<Int64> {
            hasEvidence && reason != .badDeviceToken ? 2...max(2, Int64(devices + 1) * 5 / 100) : 0...0
        }

        static let all: [Refusal] = [AppleReason.badDeviceToken, .deviceTokenNotForTopic, .unregistered].flatMap {
            reason in
            [(3, false), (3, true), (60, false), (60, true)].map { devices, hasEvidence in
                Refusal(reason: reason, devices: devices, hasEvidence: hasEvidence)
            }
        }
    }

    @Test(
        "an answer that everybody gets deletes nobody, and disables few or none (cases 45, 46, 142)",
        arguments: Refusal.all)
    func everybody(refusal: Refusal) async throws {
        try await OutcomeWorld.with { world in
            var phones: [OutcomePhone] = []
            for number in 1...refusal.devices {
                phones.append(try await world.register("profile-\(number)", number: number))
            }
            if refusal.hasEvidence { try await world.wakeUp([try await world.register("good", number: 1_000)]) }
            for environment in AppleEnvironment.allCases {
                await world.apple.addFault(
                    AppleFault(.answer(ScriptedAnswer(refusal.reason)), match: .init(environment: environment)))
            }
            try await world.post(phones)
            try await world.until("every device has been spoken of") {
                let counts = try await world.store.deviceCounts()
                return counts.quarantined + counts.needsRegistration == refusal.devices
            }
            let counts = try await world.store.deviceCounts()
            #expect(refusal.mayDisable.contains(counts.needsRegistration))
            #expect(counts.active == (refusal.hasEvidence ? 1 : 0))
            let wakes = try await world.store.wakeCounts()
            #expect(wakes[.held] == counts.quarantined)
            // The operator sees it.
            let view = try await world.laneView()
            #expect(view["quarantined"]?.integer == counts.quarantined)
            #expect(view["last_failure"]?.string == refusal.reason.rawValue)
        }
    }
}

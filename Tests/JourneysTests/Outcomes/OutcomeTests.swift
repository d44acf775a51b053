import ReveilleAPNs
import ReveilleCore
import ReveilleEmulator
import ReveilleJSON
import ReveilleStorage
import ReveilleStorageSQLite
import Testing

@Suite("What APNs answers about a device, over the whole road", .serialized, .timeLimit(.minutes(5)))
struct OutcomesForDevicesTests {
    @Test("wake, next try, device and lane are as the table says", arguments: OutcomeTable.aboutDevices)
    func row(row: OutcomeRow) async throws { try await row.check() }
}

@Suite("What APNs answers about a lane, over the whole road", .serialized, .timeLimit(.minutes(5)))
struct OutcomesForLanesTests {
    @Test("wake, next try, device and lane are as the table says", arguments: OutcomeTable.aboutTheLane)
    func row(row: OutcomeRow) async throws { try await row.check() }
}

@Suite("Answers that are not on Apple's page, over the whole road", .serialized, .timeLimit(.minutes(5)))
struct ForeignOutcomesTests {
    @Test("wake, next try, device and lane are as the table says", arguments: OutcomeTable.foreignAnswers)
    func row(row: OutcomeRow) async throws { try await row.check() }
}

@Suite("Requests without an answer, over the whole road", .serialized, .timeLimit(.minutes(5)))
struct OutcomesWithoutAnswerTests {
    @Test("wake, next try, device and lane are as the table says", arguments: OutcomeTable.withoutAnswer)
    func row(row: OutcomeRow) async throws { try await row.check() }
}

@Suite("The table of outcomes, and what it cannot say in a row", .timeLimit(.minutes(5)))
struct OutcomeTableTests {
    @Test("each row of the sender's table is in this one, and the other way round")
    func sameRows() {
        let theirs = Set(APNsOutcomes.rows.map { "\($0.status) \($0.reason.rawValue)" })
        let ours = Set(OutcomeTable.rows.compactMap(\.answeredReason))
        let known = ours.filter { !$0.hasSuffix(" SomethingNew") }
        #expect(theirs.subtracting(ours).isEmpty)
        #expect(known.subtracting(theirs).isEmpty)
    }

    @Test("each word that the sender can record is recorded by a row, but for those that no answer brings about")
    func everyWord() {
        let recorded = Set(OutcomeTable.rows.compactMap(\.word))
        let without = Set(APNsReason.allCases.map(\.rawValue)).subtracting(recorded)
        // A request that is wrong in itself passes no door; one that left in part is a matter of the kernel's buffers; a
        // connection that was not made, or allows no stream, ends no try; a stop is below.
        #expect(without == ["InvalidRequest", "NotSent", "NotConnected", "NoStreams", "Drained"])
    }

    @Test("no two rows are the same")
    func distinct() {
        #expect(Set(OutcomeTable.rows.map(\.testDescription)).count == OutcomeTable.rows.count)
    }

    @Test("a paused lane is probed after 1, 2, 4 … 15 minutes, and at once when an operator has acted")
    func probes() async throws {
        try await OutcomeWorld.with { world in
            let phone = try await world.register("anna", number: 1)
            let fault = await world.apple.addFault(AppleFault(.answer(ScriptedAnswer(.invalidProviderToken))))
            let wake = try await world.post([phone])
            var sent = 1
            for minutes in [1, 2, 4, 8, 15, 15] as [Int64] {
                try await world.until("the lane is paused") {
                    let tries = try await world.store.tries(of: wake)
                    let view = try await world.laneView()
                    return tries.count == sent && view["held"] == 1 && view["state"] == "paused"
                }
                await world.pass(.milliseconds(minutes * 60_000 - 1))
                try await world.rest()
                #expect(await world.requests(for: [phone.token]).count == sent)
                await world.pass(.milliseconds(1))
                sent += 1
                try await world.until("a probe went out") { await world.requests(for: [phone.token]).count == sent }
            }
            try await world.until("the probe has failed") { try await world.store.tries(of: wake).count == sent }
            await world.apple.removeFault(try #require(fault))
            let answer = try await world.call("POST", "/api/v1/admin/lanes/probe", token: world.adminToken)
            #expect(answer.status == 202)
            try await world.until("the wake is accepted") { try await world.store.wake(wake)?.state == .accepted }
            try await world.until("the lane works") { try await world.laneView()["state"] == "healthy" }
            #expect(await world.requests(for: [phone.token]).count == sent + 1)
        }
    }

    @Test("a try that a stop cuts off is unknown: it waits for the next start, nothing else changes")
    func stopped() async throws {
        try await OutcomeWorld.with { world in
            let phone = try await world.register("anna", number: 1)
            try await world.wakeUp([phone])
            await world.apple.addFault(AppleFault(.stall(accepted: true), match: .init(token: phone.token)))
            let wake = try await world.post([phone])
            try await world.until("the request is under way") { await world.requests(for: [phone.token]).count == 2 }
            await world.stop()
            let record = try await world.store.wake(wake)
            #expect(record?.state == .waiting && record?.failures == 1)
            let tries = try await world.store.tries(of: wake)
            #expect(tries.map(\.reason.word) == ["Drained"])
            #expect(try await world.laneView()["state"] == "healthy")
            #expect(try await world.views(of: phone)?.admin["last_failure"]?.isNull == true)
        }
    }
}

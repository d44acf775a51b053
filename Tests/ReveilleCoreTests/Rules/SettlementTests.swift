import ReveilleCore
import Testing

@Suite("What the end of a try changes")
struct SettlementTests {
    @Test("the rule is the table, for every outcome and every combination of facts", arguments: Situation.outcomes)
    func crossProduct(outcome: Outcome) {
        var count = 0
        var wrong: [String] = []
        Situation.forEach(outcome) { situation in
            count += 1
            let settlement = situation.settlement
            check(settlement.wake, SettlementTable.wake, situation, &wrong)
            check(settlement.device, SettlementTable.device, situation, &wrong)
            check(settlement.lane, SettlementTable.lane, situation, &wrong)
        }
        #expect(count == 9 * 3 * 5 * 4 * 2 * 256)
        #expect(wrong.isEmpty, "\(wrong.count) differ, the first: \(wrong.first ?? "")")
    }

    private func check<Change: Equatable>(
        _ found: Change, _ table: [SettlementTable.Row<Change>], _ situation: Situation, _ wrong: inout [String]
    ) {
        guard let row = table.first(where: { $0.applies(situation) }) else {
            wrong.append("no row for \(situation)")
            return
        }
        if row.change(situation) != found { wrong.append("'\(row.sentence)' but \(found) in \(situation)") }
    }

    @Test("no row of the table is dead")
    func rowsAreUsed() {
        var wake = Set(SettlementTable.wake.indices)
        var device = Set(SettlementTable.device.indices)
        var lane = Set(SettlementTable.lane.indices)
        for outcome in Situation.outcomes {
            Situation.forEach(outcome) { situation in
                wake.remove(SettlementTable.wake.firstIndex { $0.applies(situation) } ?? -1)
                device.remove(SettlementTable.device.firstIndex { $0.applies(situation) } ?? -1)
                lane.remove(SettlementTable.lane.firstIndex { $0.applies(situation) } ?? -1)
            }
        }
        #expect(wake.isEmpty && device.isEmpty && lane.isEmpty)
    }

    @Test("a gone in the same millisecond as the accepted send before it is believed, one before it is not")
    func evidenceLiesBefore() {
        for (accepted, verdict) in [(Int64(1_000), Brake.Verdict.disable), (1_001, .quarantine)] {
            let lane = LaneFacts(lastAcceptedMilliseconds: accepted, devices: 1, disabledToday: 0)
            #expect(Brake.judge(lane: lane, evidence: .none, nowMilliseconds: 1_000) == verdict)
        }
    }
}

import ReveilleCore
import Testing

@Suite("The judge of the crash test can find fault")
struct CrashJudgeTests {
    private static let phone = DeviceRow(1)
    private static let first = DeliveryRow(11)
    private static let second = DeliveryRow(12)

    private static func push(_ number: Int64, wake: Int64, naming delivery: DeliveryRow) -> CrashEvidence.Push {
        CrashEvidence.Push(
            number: number, apnsID: "id-\(wake)", wake: WakeRow(wake), device: phone, collapseID: "c\(wake)",
            request: "request of \(wake)", named: delivery, isAlert: true, isAccepted: true)
    }

    private static func promise(_ delivery: DeliveryRow) -> CrashEvidence.Promise {
        CrashEvidence.Promise(delivery: delivery, device: phone, post: "post \(delivery.number)", round: 7)
    }

    /// Two deliveries: the first with a wake of its own that was repeated, the second absorbed with the first's successor.
    private static var innocent: CrashEvidence {
        var evidence = CrashEvidence()
        evidence.promises = [promise(first), promise(second)]
        evidence.wakes = [
            .init(row: WakeRow(1), device: phone, state: .accepted, deliveries: [first]),
            .init(row: WakeRow(2), device: phone, state: .merged, deliveries: [second]),
            .init(row: WakeRow(3), device: phone, state: .accepted, deliveries: [second]),
        ]
        evidence.pushes = [
            push(1, wake: 1, naming: first), push(2, wake: 1, naming: first), push(3, wake: 3, naming: second),
        ]
        evidence.barriers = [.init(round: 1, number: 2, wake: WakeRow(1))]
        evidence.screens = [phone: [first, second]]
        evidence.storedNotifications = 2
        evidence.promisedNotifications = 2
        return evidence
    }

    private func judge(_ change: (inout CrashEvidence) -> Void) -> [CrashFinding] {
        var evidence = Self.innocent
        change(&evidence)
        return CrashJudge(evidence).findings()
    }

    @Test(
        "a finding knows its rounds",
        arguments: [
            (CrashFinding.lost(promise(first)), [7]), (.changedRepeat(apnsID: "id-1"), [7]),
            (.shownTwice(second, on: phone), [7]), (.endedAs(.waiting, WakeRow(3)), [7]),
            (.misdirected(number: 3), [7]),
            (.sentAfterItsEnd(WakeRow(1), number: 4, round: 3), [3]), (.damaged("all"), []),
        ])
    func rounds(finding: CrashFinding, rounds: [Int]) {
        #expect(Self.innocent.rounds(of: finding) == rounds)
    }

    @Test("where nothing is wrong it finds nothing, and counts repeats")
    func innocent() {
        #expect(judge { _ in }.isEmpty)
        #expect(CrashJudge(Self.innocent).repeats == 1)
    }

    @Test("a delivery that Apple never accepted is lost")
    func lost() {
        #expect(judge { $0.pushes[2].isAccepted = false }.contains(.lost(Self.promise(Self.second))))
        #expect(judge { $0.wakes[2].deliveries = [] }.contains(.lost(Self.promise(Self.second))))
        let findings = judge {
            $0.wakes.removeLast()
            $0.pushes.removeLast()
        }
        #expect(findings == [.lost(Self.promise(Self.second))])
    }

    @Test("a repeat under another id is found, whoever accepted it")
    func otherID() {
        let findings = judge {
            $0.wakes.append(.init(row: WakeRow(4), device: Self.phone, state: .accepted, deliveries: [Self.first]))
            $0.pushes.append(Self.push(4, wake: 4, naming: Self.first))
        }
        #expect(
            findings.contains(.acceptedUnderSeveralIDs(Self.promise(Self.first), ids: ["id-1", "id-4"])))
        #expect(findings.contains(.shownTwice(Self.first, on: Self.phone)))
    }

    @Test("a repeat that is not the same request is found")
    func changedRepeat() {
        #expect(judge { $0.pushes[1].request = "another" } == [.changedRepeat(apnsID: "id-1")])
        let findings = judge { $0.pushes[1].collapseID = "other" }
        #expect(findings.contains(.otherCollapseID(apnsID: "id-1")))
        #expect(findings.contains(.shownTwice(Self.first, on: Self.phone)))
    }

    @Test("a delivery drawn twice is found: by what was accepted, by screens, and without a collapse id")
    func shownTwice() {
        let twice = CrashFinding.shownTwice(Self.first, on: Self.phone)
        #expect(judge { $0.screens[Self.phone] = [Self.first, Self.second, Self.first] } == [twice])
        let without = judge {
            $0.pushes[0].collapseID = nil
            $0.pushes[1].collapseID = nil
        }
        #expect(without == [twice])
    }

    @Test(
        "a wake that did not end as accepted or in another's hands is found",
        arguments: [WakeState.waiting, .leased, .held, .failed, .expired, .cancelled])
    func wrongEnd(state: WakeState) {
        #expect(judge { $0.wakes[0].state = state }.contains(.endedAs(state, WakeRow(1))))
    }

    @Test("a wake that the store calls accepted and Apple does not know is found")
    func inventedAcceptance() {
        #expect(judge { $0.pushes.removeLast() }.contains(.acceptedWithoutApple(WakeRow(3))))
    }

    @Test("a request of no wake, for another device or naming something else is found")
    func misdirected() {
        let strangers: [CrashEvidence.Push] = [
            .init(
                number: 9, apnsID: "?", wake: nil, device: Self.phone, collapseID: "c", request: "", named: Self.first,
                isAlert: true, isAccepted: false),
            .init(
                number: 9, apnsID: "id-1", wake: WakeRow(1), device: DeviceRow(2), collapseID: "c1",
                request: "request of 1", named: Self.first, isAlert: true, isAccepted: true),
            .init(
                number: 9, apnsID: "id-1", wake: WakeRow(1), device: Self.phone, collapseID: "c1",
                request: "request of 1", named: Self.second, isAlert: true, isAccepted: true),
        ]
        for stranger in strangers {
            #expect(judge { $0.pushes.append(stranger) }.contains(.misdirected(number: 9)))
        }
    }

    @Test("a send behind the end of its wake is found")
    func lateSend() {
        let findings = judge { $0.pushes.append(Self.push(4, wake: 1, naming: Self.first)) }
        #expect(findings == [.sentAfterItsEnd(WakeRow(1), number: 4, round: 1)])
    }

    @Test("another answer to the same post, a notification too many and a damaged file are found")
    func store() {
        #expect(judge { $0.differentAnswers = ["post 11"] } == [.answeredDifferently(post: "post 11")])
        #expect(judge { $0.storedNotifications = 3 } == [.notifications(stored: 3, promised: 2)])
        #expect(judge { $0.damage = ["row 5 missing from index"] } == [.damaged("row 5 missing from index")])
    }
}

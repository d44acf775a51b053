import ReveilleCore
import ReveilleDispatcher
import ReveilleStorage
import Testing

@Suite("Recording what was answered")
struct LaneRecordingTests {
    @Test("one batch is recorded at a time, and the next takes all that gathered meanwhile")
    func batches() throws {
        let rig = LaneRig()
        rig.take((1...6).map { rig.wake($0) })
        #expect(rig.pullAll().count == 6)
        try rig.end(1, .accepted, status: 200)
        for row in Int64(2)...5 { try rig.end(row, .accepted, status: 200) }
        #expect(rig.host.calls.filter { $0.kind == .settle }.count == 1)
        #expect(try rig.settle().map(\.wake.number) == [1])
        let second = try rig.settle()
        #expect(second.map(\.wake.number) == [2, 3, 4, 5])
        #expect(second.allSatisfy { $0.status == 200 && $0.leaseToken == 1 && $0.endedAtMilliseconds == rig.now.wall })
        #expect(!rig.isAsked(.settle) && rig.health.unsettled == 0)
    }

    @Test("a batch is bounded")
    func boundedBatch() throws {
        var limits = LaneLimits()
        limits.largestBatch = 3
        let rig = LaneRig(limits: limits)
        rig.take((1...8).map { rig.wake($0) })
        for row in rig.pullAll() { try rig.end(row, .accepted) }
        var sizes: [Int] = []
        while rig.isAsked(.settle) { sizes.append(try rig.settle().count) }
        #expect(sizes.allSatisfy { $0 <= 3 } && sizes.reduce(0, +) == 8)
    }

    @Test("one bad token does not stop the others (case 55)")
    func oneBadToken() throws {
        let rig = LaneRig()
        rig.take((1...5).map { rig.wake($0) })
        #expect(rig.pullAll() == [1, 2, 3, 4, 5])
        let outcomes: [Outcome] = [
            .accepted, .deviceGone(reason: LaneRig.reason, sinceMilliseconds: nil), .accepted,
            .unknown(reason: LaneRig.reason), .accepted,
        ]
        for (row, outcome) in zip(Int64(1)..., outcomes) { try rig.end(row, outcome) }
        var recorded: [EndedTry] = []
        while rig.isAsked(.settle) { recorded += try rig.settle() }
        #expect(recorded.map(\.outcome) == outcomes)
    }

    @Test(
        "while the store is in trouble nothing is forgotten and nothing is sent",
        arguments: [StoreError.Code.full, .busy, .inputOutput, .readOnly, .corrupt])
    func storeTrouble(code: StoreError.Code) throws {
        let rig = LaneRig()
        rig.take((1...4).map { rig.wake($0) })
        #expect(rig.pull() != nil)
        #expect(rig.pull() != nil)
        try rig.end(1, .accepted)
        try rig.refuse(.settle, code)
        #expect(rig.pull() == nil)
        #expect(rig.health.state == .storeTrouble && rig.health.storeTrouble == code && rig.health.capacity == 0)
        try rig.end(2, .accepted)
        #expect(!rig.isAsked(.settle))
        rig.advance(milliseconds: 100)
        try rig.refuse(.settle, code)
        rig.advance(milliseconds: StoreError(code).isTransient ? 5_000 : 30_000)
        #expect(try rig.settle().map(\.wake.number) == [1, 2])
        #expect(rig.health.state == .working)
        if rig.isAsked(.verify) { try rig.answer(.verify, .verified(unsendable: [])) }
        if rig.isAsked(.renew) { try rig.answer(.renew, .renewed(lost: [])) }
        if rig.pullAll() == [] {
            try rig.answer(.verify, .verified(unsendable: []))
            #expect(rig.pullAll() == [3, 4])
        }
    }

    @Test("failures are followed by growing waits, never by a busy loop")
    func patience() throws {
        let rig = LaneRig()
        rig.take([rig.wake(1)])
        #expect(rig.pullAll() == [1])
        try rig.end(1, .accepted)
        var waits: [Int64] = []
        for _ in 0..<12 {
            try rig.refuse(.settle)
            let started = rig.now.steady
            while !rig.isAsked(.settle) { rig.advance(milliseconds: max(1, rig.host.untilDeadline ?? 1)) }
            waits.append(rig.now.steady - started)
        }
        #expect((50...100).contains(waits[0]))
        #expect(zip(waits, waits.dropFirst()).prefix(4).allSatisfy { $0 < $1 })
        #expect(waits.allSatisfy { $0 <= 5_000 } && waits[11] >= 2_500)
    }

    @Test("a lane stops sending when too many ends wait for the store")
    func backPressure() throws {
        var limits = LaneLimits()
        limits.largestUnsettled = 3
        let rig = LaneRig(limits: limits)
        rig.take((1...5).map { rig.wake($0) })
        for row in Int64(1)...3 {
            #expect(rig.pull() != nil)
            try rig.end(row, .accepted)
        }
        #expect(rig.pull() == nil)
        let signals = rig.sender.signals
        rig.turn()
        #expect(rig.sender.signals == signals, "a sender that is told to ask and refused would ask for ever")
        try rig.settle()
        #expect(rig.sender.signals == signals + 1)
        #expect(rig.pull() != nil)
    }

    @Test("giving back is repeated until the store took it, and needs none when the lease ended")
    func giveBackFails() throws {
        let rig = LaneRig()
        rig.take([rig.wake(1), rig.wake(2, lease: 10_000)])
        rig.driver.senderDidChange(.backingOff(reason: LaneRig.reason))
        rig.turn()
        #expect(rig.health.returning == 2)
        let start = rig.now.steady
        while rig.now.steady < start + 10_000 {
            if rig.isAsked(.giveBack) { try rig.refuse(.giveBack, .corrupt) }
            rig.advance(milliseconds: 100)
        }
        while !rig.isAsked(.giveBack) { rig.advance(milliseconds: 100) }
        #expect(try rig.givenBack().rows == [1])
        #expect(rig.health.returning == 0)
    }

    @Test("a wake leased again before it went back stays")
    func withdrawn() throws {
        let rig = LaneRig()
        rig.take([rig.wake(1), rig.wake(2)])
        rig.driver.senderDidChange(.backingOff(reason: LaneRig.reason))
        rig.turn()
        try rig.refuse(.giveBack)
        rig.driver.senderDidChange(.ready)
        rig.take([rig.wake(1, token: 2)])
        rig.advance(milliseconds: 100)
        #expect(try rig.givenBack().rows == [2])
        #expect(rig.pullAll() == [1])
    }
}

@Suite("Probes of quarantined devices")
struct LaneQuarantineTests {
    private func settle(_ rig: LaneRig, _ changes: [Int64: Settlement]) throws {
        try rig.settle({ changes[$0.wake.number] ?? Settlement(wake: .settle(.accepted), lane: .healthy) })
    }

    private let quarantine = Settlement(
        wake: .hold(.deviceQuarantined), device: .quarantine(reason: LaneRig.reason, evidence: .none),
        lane: .counted(reason: LaneRig.reason))

    /// A lane that has looked for quarantined devices of other processes already.
    private func rig() throws -> LaneRig {
        let rig = LaneRig()
        rig.take([rig.wake(1)])
        #expect(rig.pullAll() == [1])
        try rig.end(1, .accepted)
        try settle(rig, [:])
        try rig.answer(.releaseProbes, .probesReleased(0))
        rig.advance(milliseconds: 15_000)
        return rig
    }

    private func send(_ rig: LaneRig, _ rows: [Int64], topic: String = "org.example") throws {
        rig.take(rows.map { rig.wake($0, topic: topic) })
        #expect(rig.pullAll() == rows)
        for row in rows { try rig.end(row, .accepted) }
    }

    @Test("they are made due by the next accepted send after the quarantine, of the same topic")
    func afterNextAccepted() throws {
        let rig = try rig()
        try send(rig, [2])
        try settle(rig, [2: quarantine])
        #expect(!rig.isAsked(.releaseProbes))
        try send(rig, [3])
        try settle(rig, [:])
        guard case .releaseProbes("org.example", let limit)? = rig.host.takeCall(.releaseProbes) else {
            Issue.record("no probes were made due")
            return
        }
        #expect(limit == 64)
        rig.driver.handle(.probesReleased(1))
        rig.turn()
        #expect(rig.isAsked(.nextDue))
    }

    @Test("an accepted send before the quarantine in the same batch makes none due")
    func orderInBatch() throws {
        let rig = try rig()
        rig.take([rig.wake(2), rig.wake(3), rig.wake(4)])
        #expect(rig.pullAll() == [2, 3, 4])
        try rig.end(2, .accepted)
        try settle(rig, [2: quarantine])
        try rig.end(3, .accepted)
        try rig.end(4, .accepted)
        try settle(rig, [4: quarantine])
        #expect(rig.isAsked(.settle) || rig.isAsked(.releaseProbes))
    }

    @Test("they are made due at most every ten seconds, and not at all when nobody is left")
    func throttled() throws {
        let rig = try rig()
        try send(rig, [2])
        try settle(rig, [2: quarantine])
        try send(rig, [3])
        try settle(rig, [:])
        try rig.answer(.releaseProbes, .probesReleased(64))
        try send(rig, [4])
        try settle(rig, [:])
        #expect(!rig.isAsked(.releaseProbes))
        rig.advance(milliseconds: 10_000)
        try send(rig, [5])
        try settle(rig, [:])
        try rig.answer(.releaseProbes, .probesReleased(0))
        rig.advance(milliseconds: 10_000)
        try send(rig, [6])
        try settle(rig, [:])
        #expect(!rig.isAsked(.releaseProbes))
    }

    @Test("a call that fails is made again")
    func fails() throws {
        let rig = try rig()
        try send(rig, [2])
        try settle(rig, [2: quarantine])
        try send(rig, [3])
        try settle(rig, [:])
        try rig.refuse(.releaseProbes)
        rig.advance(milliseconds: 100)
        #expect(rig.isAsked(.releaseProbes))
    }
}

import Foundation
import ReveilleCore
import ReveilleDispatcher
import ReveilleRuntime
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTesting
import Testing

@Suite("Proof: the outbox against a small model", .temporaryDirectory)
struct ModelProofTests {
    /// The steps of each seed: a hundred thousand in all, or what the environment says.
    private static var steps: Int {
        ProcessInfo.processInfo.environment["REVEILLE_MODEL_STEPS"].flatMap(Int.init) ?? TestScale.count(100_000)
    }

    @Test(
        "no promise is lost, nothing is sent twice at once, after its end or with other bytes", arguments: TestSeed.both
    )
    func steadyClock(seed: UInt64) async throws {
        try await run(seed: seed, jumps: false)
    }

    @Test(
        "and no jump of the wall clock changes that", arguments: TestSeed.both)
    func jumpingClock(seed: UInt64) async throws {
        try await run(seed: seed, jumps: true)
    }

    private func run(seed: UInt64, jumps: Bool) async throws {
        let directory = try #require(TemporaryDirectory.current)
        let world = ModelWorld(seed: seed, jumps: jumps, path: directory.file("model.sqlite"))
        try await world.start(0)
        try await world.start(1)
        for _ in 0..<6 { try await world.join() }
        for _ in 0..<(Self.steps / 4) where world.failures.isEmpty { try await world.step() }
        try await world.comeToRest()
        try await world.checkPromises()
        for case let process? in world.processes { await process.store.close() }
        #expect(world.failures.isEmpty, "\(TestSeed.comment(seed)): \(world.failures.joined(separator: "\n"))")
        #expect(world.reference.accepted.count > Self.steps / 200, TestSeed.comment(seed))
        print(
            "model: seed \(seed) jumps \(jumps), \(Self.steps / 4) steps, \(world.reference.promises.count) promises,",
            "\(world.reference.accepted.count) wakes accepted, \(world.starts) starts")
    }
}

extension ModelWorld {
    /// Everything works again, and time passes, until nothing is left to do.
    func comeToRest() async throws {
        for number in processes.indices { try await start(number) }
        for round in 0..<60 {
            for case let process? in processes {
                for lane in process.lanes {
                    lane.driver.senderDidChange(.ready)
                    lane.mailbox.noteSettingsChange()
                    lane.turn()
                }
            }
            try await sweep()
            await performAll()
            for case let process? in processes {
                for lane in process.lanes.indices {
                    var before = -1
                    while before != inFlight.count {
                        before = inFlight.count
                        try await pull(process, lane)
                        await performAll()
                    }
                }
            }
            while !inFlight.isEmpty { answer(0, .accepted, providerTook: true) }
            await performAll()
            clock.advance(by: .milliseconds(round < 20 ? 2_000 : 301_000))
        }
    }

    /// How each lane of each process is, for the report of a failure.
    var lanes: String {
        processes.compactMap { $0 }.flatMap { process in
            process.lanes.map { lane in
                guard let health = lane.driver.health() else { return "?" }
                return
                    "p\(process.number) \(lane.key.destination.place) \(health.state) \(health.pausedTopics.map(\.topic))"
                    + " cap \(health.capacity) unsent \(health.unsent) calls \(lane.host.calls.map(\.kind))"
            }
        }.joined(separator: "; ")
    }

    /// Each delivery of a 202 was named or absorbed by an accepted wake for each device, or there is a reason why not.
    func checkPromises() async throws {
        guard let store = anyStore else { return }
        var wakes: [ModelReference.Promise: [WakeRecord]] = [:]
        var last: WakeRow?
        while true {
            let page = try await store.wakes(after: last, state: nil, limit: 1_000)
            for wake in page {
                for delivery in wake.deliveries {
                    wakes[.init(device: wake.device, delivery: delivery), default: []].append(wake)
                }
            }
            guard let end = page.last else { break }
            last = end.row
        }
        let quarantined = try await store.deviceCounts().quarantined
        for (promise, terms) in reference.promises where reference.release(of: promise) == nil {
            let found = wakes[promise] ?? []
            if found.contains(where: { isKept($0, terms, of: promise.device, quarantined: quarantined) }) { continue }
            let states = found.map { wake in
                "\(wake.row.number) \(wake.state.word) hold \(wake.hold.map { "\($0)" } ?? "-") \(wake.lane.destination.place)"
                    + " due in \(wake.dueAtMilliseconds - wall) life \(wake.expiresAtMilliseconds - wall) \(wake.mode)"
            }
            fail(
                "device \(promise.device.number) never learned of delivery \(promise.delivery.number): \(states); \(lanes)"
            )
        }
    }

    private func isKept(
        _ wake: WakeRecord, _ terms: ModelReference.Terms, of device: DeviceRow, quarantined: Int64
    ) -> Bool {
        // Without jumps the wall clock tells exactly whether the wake ended after the delivery's life.
        let outlived =
            reference.jumped
            ? terms.endsAt <= steady
            : (wake.settledAtMilliseconds ?? wall) - (wall - steady) >= terms.endsAt
        return switch wake.state {
        case .accepted: reference.accepted.contains(wake.row)
        case .failed: reference.refused.contains(wake.row)
        case .held: wake.hold == .deviceQuarantined && quarantined > 0
        // A try may end so late that the next would come after the delivery's life: then it expires at once.
        case .expired: terms.endsAt <= steady
        // A disabled device learns when it registers again; a catch-up drops what outlived its life.
        case .cancelled: outlived || reference.disabledDevices.contains(device)
        // A catch-up wake stands only for what is younger than the life its producer gave.
        case .merged, .superseded: outlived
        case .waiting, .leased: false
        }
    }
}

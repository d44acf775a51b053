import ReveilleCore
import ReveilleDispatcher
import ReveilleRuntime
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTelemetry
import ReveilleTesting
import Testing

@Suite("A dispatcher on a store, an event loop and a provider", .temporaryDirectory)
struct DispatcherTests {
    private static let reason = ProviderReason("SomeReason")

    private func makeRig() throws -> StoreRig {
        StoreRig(path: try #require(TemporaryDirectory.current).file("store.sqlite"))
    }

    /// Runs a dispatcher over an open store for the time of `body`, then drains it.
    @discardableResult
    private func withDispatcher<Result: Sendable>(
        _ store: SQLiteHomeStore, _ provider: Provider, streams: Int = 100, hasSender: Bool = true,
        wall: any WallClock = SystemWallClock(), _ body: (Dispatcher) async throws -> Result
    ) async throws -> Result {
        try await withEventLoop { loop in
            var options = DispatcherOptions()
            options.lanes = [StoreRig.key]
            options.sweepInterval = .milliseconds(50)
            let dispatcher = Dispatcher(
                store: store, tokens: store.vault, publicIDs: store.secrets.publicIDs, collapse: store.secrets.collapse,
                senders: { _, source, loop in
                    hasSender ? LoopSender(provider: provider, source: source, loop: loop, streams: streams) : nil
                }, loops: [loop], options: options, wall: wall, log: .silent,
                metrics: DispatcherMetrics(registry: MetricsRegistry(), reasons: [Self.reason]))
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await dispatcher.run() }
                let result = try await body(dispatcher)
                group.cancelAll()
                try await group.waitForAll()
                return result
            }
        }
    }

    @Test("a post wakes every device of its profiles once, and the store knows", .timeLimit(.minutes(5)))
    func sends() async throws {
        let rig = try makeRig()
        let store = try await rig.open()
        var devices: [Device] = []
        for index in UInt8(1)...3 {
            devices.append(
                try await store.register(install: "i\(index)", token: [index, 7], profile: index < 3 ? "anna" : "ben"))
        }
        let provider = Provider()
        try await withDispatcher(store, provider) { _ in
            for _ in 0..<20 { _ = try await store.post(to: ["anna", "ben"]) }
            try await provider.requests.wait { Set($0.map(\.requestID)).count >= 3 }
        }
        let requests = provider.requests.value
        #expect(Set(requests.map(\.requestID)).count == requests.count)
        for device in devices {
            let id = store.secrets.publicIDs.serverDeviceID(of: device.row)
            #expect(requests.contains { $0.payload.contains(id) })
        }
        let counts = try await store.wakeCounts()
        #expect(counts[.accepted, default: 0] == Int64(requests.count))
        #expect(counts[.leased, default: 0] == 0)
        await store.close()
    }

    @Test("wakes of a lane without sender wait, and the lane says so", .timeLimit(.minutes(5)))
    func notConfigured() async throws {
        let rig = try makeRig()
        let store = try await rig.open()
        _ = try await store.register(install: "i", token: [1, 2], profile: "anna")
        let provider = Provider()
        let health = try await withDispatcher(store, provider, hasSender: false) { dispatcher in
            _ = try await store.post(to: ["anna"])
            return await dispatcher.health()
        }
        #expect(health.map(\.state) == [.notConfigured] || health.isEmpty)
        #expect(try await store.wakeCounts()[.waiting] == 1)
        #expect(provider.requests.value.isEmpty)
        await store.close()
    }

    /// The wall clock of the system, set to other times, that tells when it was looked at since.
    private final class SetClock: WallClock {
        private let offset = Locked(Duration.zero)
        let looks = Probe(0)

        func now() -> WallInstant {
            looks.update { $0 += 1 }
            return SystemWallClock().now().adding(offset.withLock { $0 })
        }

        func set(ahead step: Duration) {
            offset.withLock { $0 += step }
            looks.update { $0 = 0 }
        }
    }

    @Test("an idle lane goes on after the clock was set, however often", .timeLimit(.minutes(5)))
    func clockSet() async throws {
        let clock = SetClock()
        let rig = StoreRig(path: try #require(TemporaryDirectory.current).file("store.sqlite"), wall: clock)
        let store = try await rig.open()
        _ = try await store.register(install: "i", token: [1, 2], profile: "anna")
        let provider = Provider()
        try await withDispatcher(store, provider, wall: clock) { _ in
            for round in 1...6 {
                _ = try await store.post(to: ["anna"])
                try await provider.requests.wait { $0.count == round }
                clock.set(ahead: round.isMultiple(of: 2) ? .seconds(-300) : .seconds(300))
                // Rounds and lane saw it, in whatever order, before the next post.
                try await clock.looks.wait { $0 >= 8 }
            }
        }
        #expect(provider.requests.value.count == 6)
        await store.close()
    }

    @Test("what is unanswered at the end is sent again by the next start, the same request", .timeLimit(.minutes(5)))
    func drainsAndStartsAgain() async throws {
        let rig = try makeRig()
        var store = try await rig.open()
        for index in UInt8(1)...40 {
            _ = try await store.register(install: "i\(index)", token: [index, 7], profile: "p\(index)")
        }
        let provider = Provider { _, _ in nil }
        try await withDispatcher(store, provider, streams: 10) { _ in
            _ = try await store.post(to: (1...40).map { "p\($0)" })
            try await provider.requests.wait { $0.count == 10 }
        }
        var counts = try await store.wakeCounts()
        #expect(counts[.waiting, default: 0] == 40 && counts[.leased, default: 0] == 0)
        await store.close()
        let before = provider.requests.value
        provider.answers { _, _ in .accepted }
        store = try await rig.open()
        try await withDispatcher(store, provider) { _ in
            _ = try await provider.requests.wait { $0.count == 50 }
        }
        counts = try await store.wakeCounts()
        #expect(counts == [.accepted: 40])
        let after = provider.requests.value.dropFirst(10)
        #expect(Set(after.map(\.requestID)).count == 40)
        for first in before {
            let second = try #require(after.first { $0.requestID == first.requestID })
            #expect(first.payload == second.payload && first.collapse == second.collapse && first.token == second.token)
        }
        await store.close()
    }

    @Test("a misconfigured lane holds everything, and catches up once an operator acted", .timeLimit(.minutes(5)))
    func pausesAndCatchesUp() async throws {
        let rig = try makeRig()
        let store = try await rig.open()
        for index in UInt8(1)...5 {
            _ = try await store.register(install: "i\(index)", token: [index, 7], profile: "p\(index)")
        }
        let everyone = (1...5).map { "p\($0)" }
        let provider = Provider { _, _ in .misconfigured(reason: Self.reason, scope: .lane) }
        try await withDispatcher(store, provider, streams: 1) { dispatcher in
            _ = try await store.post(to: everyone)
            try await provider.requests.wait { $0.count >= 1 }
            while await dispatcher.health().first?.state != .paused { await Task.yield() }
            let failed = provider.requests.value.count
            _ = try await store.post(to: everyone)
            provider.answers { _, _ in .accepted }
            dispatcher.settingsChanged()
            // The probe, and one catch-up wake for each other device.
            try await provider.requests.wait { $0.count >= failed + 5 }
            while try await store.wakeCounts()[.accepted, default: 0] < 5 { await Task.yield() }
            #expect(await dispatcher.health().first?.state == .working)
        }
        let counts = try await store.wakeCounts()
        #expect(counts[.held, default: 0] == 0 && counts[.waiting, default: 0] == 0 && counts[.failed, default: 0] == 0)
        await store.close()
    }

    @Test("a retry at once, a refusal and a gone among others end as the table says", .timeLimit(.minutes(5)))
    func mixedAnswers() async throws {
        let rig = try makeRig()
        let store = try await rig.open()
        for index in UInt8(1)...6 {
            _ = try await store.register(install: "i\(index)", token: [index, 7], profile: "p\(index)")
        }
        let provider = Provider { request, count in
            switch request.token {
            case "0107": count == 1 ? .unknown(reason: Self.reason) : .accepted
            case "0207": .refused(reason: Self.reason)
            case "0307": .deviceGone(reason: Self.reason, sinceMilliseconds: nil)
            default: .accepted
            }
        }
        try await withDispatcher(store, provider) { _ in
            _ = try await store.post(to: ["p4"])
            while try await store.wakeCounts()[.accepted, default: 0] < 1 { await Task.yield() }
            _ = try await store.post(to: (1...6).map { "p\($0)" })
            while try await store.wakeCounts()[.accepted, default: 0] < 5 { await Task.yield() }
            while try await store.wakeCounts()[.failed, default: 0] < 2 { await Task.yield() }
        }
        let counts = try await store.wakeCounts()
        #expect(counts == [.accepted: 5, .failed: 2])
        let first = provider.requests.value.filter { $0.token == "0107" }
        #expect(first.count == 2 && first[0].requestID == first[1].requestID && first[0].payload == first[1].payload)
        #expect(try await store.deviceCounts().needsRegistration == 1)
        await store.close()
    }
}

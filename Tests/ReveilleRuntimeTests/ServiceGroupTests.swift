import ReveilleRuntime
import ReveilleTesting
import Testing

/// A service that follows a script.
private struct ScriptedService: Service {
    let name: String
    let journal: Probe<[String]>
    var failure: OneShot<Void>?
    /// Held back after cancellation until this comes.
    var stubbornness: OneShot<Void>?

    struct Failure: Error {}

    func run() async throws {
        journal.append("\(name) runs")
        if let failure {
            try await failure.wait()
            throw Failure()
        }
        let never = OneShot<Void>()
        try? await never.wait()
        if let stubbornness { await Task.detached { try? await stubbornness.wait() }.value }
        journal.append("\(name) ends")
    }
}

@Suite("A service group", .timeLimit(.minutes(5)))
struct ServiceGroupTests {
    private func member(_ name: StaticString, _ service: ScriptedService) -> ServiceGroup.Member {
        ServiceGroup.Member(name: name, service: service, stopLimit: .seconds(10))
    }

    @Test("stops its services in reverse order when it is cancelled, each after the next one has ended")
    func stopsInReverse() async throws {
        try await withEventLoop(clock: ManualClock()) { loop in
            let journal = Probe<[String]>([])
            let group = ServiceGroup(
                [
                    member("a", ScriptedService(name: "a", journal: journal)),
                    member("b", ScriptedService(name: "b", journal: journal)),
                    member("c", ScriptedService(name: "c", journal: journal)),
                ], timer: loop)
            let task = Task { try await group.run() }
            try await journal.wait { $0.count == 3 }
            task.cancel()
            try await task.value
            #expect(Array(journal.value.suffix(3)) == ["c ends", "b ends", "a ends"])
        }
    }

    @Test("stops all and throws the error when one service fails")
    func failsTogether() async throws {
        try await withEventLoop(clock: ManualClock()) { loop in
            let journal = Probe<[String]>([])
            let events = Probe<[String]>([])
            let failure = OneShot<Void>()
            let group = ServiceGroup(
                [
                    member("steady", ScriptedService(name: "steady", journal: journal)),
                    member("weak", ScriptedService(name: "weak", journal: journal, failure: failure)),
                ], timer: loop
            ) { event in
                switch event {
                case .failed(let name): events.append("failed \(name)")
                case .stopped(let name): events.append("stopped \(name)")
                case .started, .stopping, .overran: break
                }
            }
            let task = Task { try await group.run() }
            try await journal.wait { $0.count == 2 }
            failure.fulfil(())
            await #expect(throws: ScriptedService.Failure.self) { try await task.value }
            #expect(journal.value.contains("steady ends"))
            #expect(events.value == ["failed weak", "stopped steady"])
        }
    }

    @Test("reports a service that exceeds its limit, goes on with the others, and still waits for it")
    func reportsOverrun() async throws {
        let clock = ManualClock()
        try await withEventLoop(clock: clock) { loop in
            let journal = Probe<[String]>([])
            let overran = Probe<[String]>([])
            let letGo = OneShot<Void>()
            let stopping = Probe(0)
            let group = ServiceGroup(
                [
                    member("quick", ScriptedService(name: "quick", journal: journal)),
                    member("slow", ScriptedService(name: "slow", journal: journal, stubbornness: letGo)),
                ], timer: loop
            ) { event in
                switch event {
                case .overran(let name): overran.append(name.description)
                case .stopping: stopping.update { $0 += 1 }
                case .started, .stopped, .failed: break
                }
            }
            let task = Task { try await group.run() }
            try await journal.wait { $0.count == 2 }
            task.cancel()
            try await stopping.wait { $0 == 1 }
            // The limit starts when the group sleeps; the clock is moved until it has.
            while overran.value.isEmpty {
                clock.advance(by: .seconds(11))
                await loop.settle()
            }
            try await journal.wait { $0.contains("quick ends") }
            #expect(!journal.value.contains("slow ends"))
            letGo.fulfil(())
            try await task.value
            #expect(overran.value == ["slow"])
            #expect(journal.value.last == "slow ends")
        }
    }

    @Test("that is cancelled before it runs still starts and stops everything")
    func cancelledBefore() async throws {
        try await withEventLoop(clock: ManualClock()) { loop in
            let journal = Probe<[String]>([])
            let group = ServiceGroup(
                [member("a", ScriptedService(name: "a", journal: journal))], timer: loop)
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await group.run()
            }
            try await task.value
            #expect(journal.value == ["a runs", "a ends"])
        }
    }
}

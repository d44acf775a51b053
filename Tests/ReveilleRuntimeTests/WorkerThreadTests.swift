import ReveilleRuntime
import ReveilleTesting
import Testing

private actor OnWorker {
    nonisolated let worker: WorkerThread
    nonisolated var unownedExecutor: UnownedSerialExecutor { worker.asUnownedSerialExecutor() }
    private var count = 0

    init(worker: WorkerThread) {
        self.worker = worker
    }

    func next() -> (count: Int, isOnWorker: Bool) {
        count += 1
        return (count, worker.isCurrent)
    }
}

@Suite("A worker thread", .timeLimit(.minutes(5)))
struct WorkerThreadTests {
    @Test("runs what is submitted in order and hands back results and errors")
    func runs() async throws {
        struct Failure: Error {}
        let worker = WorkerThread(name: "test")
        defer { worker.stop() }
        let seen = Probe<[Int]>([])
        for number in 0..<500 { worker.submit { seen.append(number) } }
        #expect(try await worker.run { worker.isCurrent })
        #expect(seen.value == Array(0..<500))
        await #expect(throws: Failure.self) { try await worker.run { throw Failure() } }
    }

    @Test("is the executor of actors pinned to it")
    func isExecutor() async throws {
        let worker = WorkerThread(name: "test")
        defer { worker.stop() }
        let actor = OnWorker(worker: worker)
        for expected in 1...100 { #expect(await actor.next() == (expected, true)) }
        #expect(!worker.isCurrent)
    }

    @Test("runs everything that was submitted before it stops, and late work too")
    func stops() async throws {
        let worker = WorkerThread(name: "test")
        let seen = Probe(0)
        for _ in 0..<500 { worker.submit { seen.update { $0 += 1 } } }
        worker.stop()
        worker.stop()
        #expect(seen.value == 500)
        #expect(try await worker.run { worker.isCurrent })
    }

    @Test("goes away when it was stopped and nobody holds it")
    func isReleased() async throws {
        weak var released: WorkerThread?
        do {
            let worker = WorkerThread(name: "test")
            released = worker
            worker.stop()
        }
        #expect(released == nil)
    }
}

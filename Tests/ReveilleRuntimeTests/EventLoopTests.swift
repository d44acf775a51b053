import ReveilleRuntime
import ReveilleTesting
import Testing

/// An actor that lives on an event loop.
private actor Pinned {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private(set) var steps: [Int] = []

    init(loop: EventLoop) {
        self.loop = loop
    }

    func add(_ step: Int) -> Bool {
        steps.append(step)
        return loop.isCurrent
    }

    nonisolated func addFromCallback(_ step: Int) {
        assumeIsolated { $0.steps.append(step) }
    }
}

@Suite("An event loop", .timeLimit(.minutes(5)))
struct EventLoopTests {
    @Test("runs what is put in, in order, on its own thread")
    func runsInOrder() async throws {
        try await withEventLoop { loop in
            let seen = Probe<[Int]>([])
            for number in 0..<1000 { loop.execute { seen.append(number) } }
            let isCurrentInside = try await loop.call { loop.isCurrent }
            #expect(isCurrentInside)
            #expect(seen.value == Array(0..<1000))
            #expect(!loop.isCurrent)
        }
    }

    @Test("keeps the order of each of several threads that put work in at once")
    func keepsOrderOfEachThread() async throws {
        try await withEventLoop { loop in
            let seen = Probe<[[Int]]>(Array(repeating: [], count: 4))
            await withTaskGroup { group in
                for thread in 0..<4 {
                    group.addTask {
                        for number in 0..<2000 {
                            loop.execute { seen.update { $0[thread].append(number) } }
                        }
                    }
                }
            }
            await loop.settle()
            for numbers in seen.value { #expect(numbers == Array(0..<2000)) }
        }
    }

    @Test("is the executor of actors pinned to it, and its callbacks may enter them")
    func isExecutorOfActors() async throws {
        try await withEventLoop { loop in
            let pinned = Pinned(loop: loop)
            #expect(await pinned.add(1))
            try await loop.call { pinned.addFromCallback(2) }
            #expect(await pinned.add(3))
            #expect(await pinned.steps == [1, 2, 3])
        }
    }

    @Test("traps when an actor pinned to it is entered from elsewhere")
    func trapsOutside() async {
        await #expect(processExitsWith: .failure) {
            let loop = EventLoop(name: "test")
            Pinned(loop: loop).addFromCallback(1)
        }
        await #expect(processExitsWith: .failure) {
            let loop = EventLoop(name: "test")
            _ = loop.schedule(after: .seconds(1)) {}
        }
    }

    @Test("runs what is put in before its start when it starts")
    func runsEarlyWork() async {
        let loop = EventLoop(name: "test")
        let seen = Probe(0)
        loop.execute { seen.update { $0 += 1 } }
        #expect(seen.value == 0)
        loop.start()
        loop.stop()
        #expect(seen.value == 1)
    }

    @Test("runs what is put in while it stops, and what those jobs put in")
    func runsWorkDuringStop() async throws {
        for _ in 0..<50 {
            let loop = EventLoop(name: "test")
            let seen = Probe(0)
            loop.start()
            for _ in 0..<10 {
                loop.execute { loop.execute { loop.execute { seen.update { $0 += 1 } } } }
            }
            loop.stop()
            #expect(seen.value == 10)
        }
    }

    @Test("runs what comes after its end in order, one at a time, as its own thread")
    func runsLateWork() async throws {
        let loop = EventLoop(name: "test")
        loop.start()
        loop.stop()
        loop.stop()
        let pinned = Pinned(loop: loop)
        for step in 0..<100 { #expect(await pinned.add(step)) }
        #expect(await pinned.steps == Array(0..<100))
        await withTaskGroup { group in
            for step in 0..<100 { group.addTask { _ = await pinned.add(step) } }
        }
        #expect(await pinned.steps.count == 200)
    }

    @Test("that is stopped without having started runs what it was given")
    func stopsWithoutStart() async {
        let loop = EventLoop(name: "test")
        let seen = OneShot<Void>()
        loop.execute { seen.fulfil(()) }
        loop.stop()
        loop.start()
        await #expect(throws: Never.self) { try await seen.wait() }
    }

    @Test("lets go of everything when it stops")
    func releasesEverything() async throws {
        final class Witness: Sendable {}
        weak var witness: Witness?
        let pipe = try Pipe()
        weak var loopAfterwards: EventLoop?
        do {
            let loop = EventLoop(name: "test")
            loop.start()
            witness = try await loop.call {
                let object = Witness()
                let handler = ClosureHandler { _ in withExtendedLifetime(object) {} }
                _ = try loop.register(pipe.readEnd, .readable, handler)
                loop.schedule(after: .seconds(3600)) { withExtendedLifetime(object) {} }
                return object
            }
            #expect(witness != nil)
            loop.stop()
            loopAfterwards = loop
        }
        #expect(witness == nil)
        #expect(loopAfterwards == nil)
    }

    @Test("may be used by what goes when a timer or a handler goes")
    func reentrantRelease() async throws {
        /// Changes timers and registrations of its loop when it ends.
        final class Meddler {
            let loop: EventLoop
            let others: [LoopTimer]
            let registration: DescriptorRegistration
            let ended: Probe<Int>

            init(loop: EventLoop, pipe: Pipe, ended: Probe<Int>) throws {
                self.loop = loop
                self.ended = ended
                others = (0..<10).map { _ in loop.schedule(after: .seconds(9)) {} }
                registration = try loop.register(pipe.writeEnd, [], ClosureHandler { _ in })
            }

            deinit {
                for timer in others { timer.cancel() }
                registration.cancel()
                loop.schedule(after: .zero) {}.cancel()
                ended.update { $0 += 1 }
            }
        }
        let pipe = try Pipe()
        let ended = Probe(0)
        let clock = ManualClock()
        try await withEventLoop(clock: clock) { loop in
            try await loop.call {
                for _ in 0..<20 {
                    let meddler = try Meddler(loop: loop, pipe: pipe, ended: ended)
                    let timer = loop.makeTimer { withExtendedLifetime(meddler) {} }
                    timer.start(after: .seconds(1))
                    timer.cancel()
                }
                #expect(loop.pendingTimerCount == 0)
                #expect(loop.registrationCount == 0)
                var registrations: [DescriptorRegistration] = []
                for _ in 0..<20 {
                    let meddler = try Meddler(loop: loop, pipe: pipe, ended: ended)
                    loop.schedule(after: .seconds(1)) { withExtendedLifetime(meddler) {} }
                    let other = try Meddler(loop: loop, pipe: pipe, ended: ended)
                    registrations.append(
                        try loop.register(pipe.readEnd, [], ClosureHandler { _ in withExtendedLifetime(other) {} }))
                }
                for registration in registrations { registration.cancel() }
                #expect(loop.registrationCount == 20)
            }
            clock.advance(by: .seconds(1))
            try await ended.wait { $0 == 60 }
            await loop.settle()
            let left = try await loop.call { loop.pendingTimerCount + loop.registrationCount }
            #expect(left == 0)
            // The last ones go when the loop stops.
            try await loop.call {
                let meddler = try Meddler(loop: loop, pipe: pipe, ended: ended)
                loop.schedule(after: .seconds(1)) { withExtendedLifetime(meddler) {} }
                let other = try Meddler(loop: loop, pipe: pipe, ended: ended)
                _ = try loop.register(pipe.readEnd, [], ClosureHandler { _ in withExtendedLifetime(other) {} })
            }
        }
        #expect(ended.value == 62)
    }

    @Test("wakes for each of many single jobs from another thread")
    func wakesAgainAndAgain() async throws {
        try await withEventLoop { loop in
            for _ in 0..<2000 { await loop.settle() }
        }
    }

    @Test("calls an end-of-turn handler once, after the jobs of its turn, and again when it asks again")
    func endsTurns() async throws {
        final class Recorder: EndOfTurnHandler {
            let loop: EventLoop
            let seen: Probe<[String]>
            var again = true
            init(loop: EventLoop, seen: Probe<[String]>) {
                self.loop = loop
                self.seen = seen
            }
            func turnDidEnd() {
                seen.append("end")
                if again {
                    again = false
                    loop.atEndOfTurn(self)
                }
            }
        }
        try await withEventLoop { loop in
            let seen = Probe<[String]>([])
            loop.execute {
                let recorder = Recorder(loop: loop, seen: seen)
                loop.atEndOfTurn(recorder)
                loop.execute { seen.append("job") }
                seen.append("first")
            }
            try await seen.wait { $0.count == 4 }
            #expect(seen.value == ["first", "job", "end", "end"])
            await loop.settle()
            #expect(seen.value.count == 4)
        }
    }

    @Test("looks at its descriptors although jobs never end")
    func doesNotStarveDescriptors() async throws {
        let pipe = try Pipe()
        try await withEventLoop { loop in
            let readable = OneShot<Void>()
            let isDone = Probe(false)
            @Sendable func spin() {
                if readable.value == nil { loop.execute(spin) } else { isDone.update { $0 = true } }
            }
            try await loop.call {
                var registration: DescriptorRegistration?
                registration = try loop.register(
                    pipe.readEnd, .readable,
                    ClosureHandler { _ in
                        readable.fulfil(())
                        registration?.cancel()
                    })
            }
            loop.execute(spin)
            pipe.write()
            try await isDone.wait { $0 }
        }
    }

    @Test("lets go of what late jobs set up, since it will never happen", arguments: 0..<20)
    func forgetsLate(round: Int) async throws {
        /// Something that tells when nobody holds it any more.
        final class Held: EndOfTurnHandler {
            private let released: Probe<Int>
            init(_ released: Probe<Int>) { self.released = released }
            deinit { released.update { $0 += 1 } }
            func turnDidEnd() {}
        }
        let released = Probe(0)
        do {
            let loop = EventLoop(name: "late")
            loop.start()
            // Some come while the thread ends, some when it is gone.
            let late = Task.detached { [loop] in
                for _ in 0..<50 {
                    loop.execute {
                        let held = Held(released)
                        loop.schedule(after: .seconds(3_600)) { withExtendedLifetime(held) {} }
                        loop.atEndOfTurn(Held(released))
                    }
                }
            }
            loop.stop()
            await late.value
        }
        try await released.wait { $0 == 100 }
        #expect(released.value == 100)
    }
}

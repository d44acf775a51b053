import Glibc
import ReveilleRuntime
import ReveilleTesting
import Testing

@Suite("A descriptor on an event loop", .timeLimit(.minutes(5)))
struct EventLoopDescriptorTests {
    @Test("is reported readable each turn until it is read")
    func isLevelTriggered() async throws {
        let pipe = try Pipe()
        try await withEventLoop { loop in
            let calls = Probe(0)
            try await loop.call {
                let handler = ClosureHandler { readiness in
                    #expect(readiness == .readable)
                    calls.update { $0 += 1 }
                    if calls.value == 3 { _ = pipe.readAll() }
                }
                _ = try loop.register(pipe.readEnd, .readable, handler)
            }
            pipe.write()
            try await calls.wait { $0 >= 3 }
            for _ in 0..<10 { await loop.settle() }
            #expect(calls.value == 3)
        }
    }

    @Test("is reported writable only while somebody wants to write")
    func reportsWritable() async throws {
        let pipe = try Pipe()
        try await withEventLoop { loop in
            let calls = Probe(0)
            try await loop.call {
                var registration: DescriptorRegistration?
                let handler = ClosureHandler { readiness in
                    #expect(readiness == .writable)
                    calls.update { $0 += 1 }
                    #expect(throws: Never.self) { try registration?.modify([]) }
                }
                registration = try loop.register(pipe.writeEnd, .writable, handler)
            }
            try await calls.wait { $0 == 1 }
            for _ in 0..<10 { await loop.settle() }
            #expect(calls.value == 1)
        }
    }

    @Test("hears nothing while its interest is empty, and what waited when it is interested again")
    func pausesAndResumes() async throws {
        let pipe = try Pipe()
        try await withEventLoop { loop in
            let calls = Probe(0)
            let registration = try await loop.call {
                Handover(
                    try loop.register(
                        pipe.readEnd, [],
                        ClosureHandler { _ in
                            calls.update { $0 += 1 }
                            _ = pipe.readAll()
                        }))
            }
            pipe.write()
            for _ in 0..<10 { await loop.settle() }
            #expect(calls.value == 0)
            try await loop.call { try registration.take().modify(.readable) }
            try await calls.wait { $0 == 1 }
        }
    }

    @Test("that was cancelled hears nothing of an event reported before, even when another took its place")
    func dropsStaleEvents() async throws {
        let pipes = try [Pipe(), Pipe()]
        try await withEventLoop { loop in
            let heard = Probe<[Int]>([])
            let newcomer = Probe(0)
            try await loop.call {
                var registrations: [DescriptorRegistration] = []
                for index in 0..<2 {
                    let handler = ClosureHandler { readiness in
                        heard.append(index)
                        // Both pipes are ready in one batch. The first one called ends the other's registration and puts a
                        // newcomer, which is not ready, into the slot that became free.
                        registrations[1 - index].cancel()
                        registrations[index].cancel()
                        #expect(throws: Never.self) {
                            for pipe in pipes {
                                _ = try loop.register(
                                    pipe.writeEnd, [], ClosureHandler { _ in newcomer.update { $0 += 1 } })
                            }
                        }
                    }
                    registrations.append(try loop.register(pipes[index].readEnd, .readable, handler))
                }
                // Written in the same turn as registered: the next look at the kernel reports both.
                for pipe in pipes { pipe.write() }
            }
            try await heard.wait { !$0.isEmpty }
            for _ in 0..<10 { await loop.settle() }
            #expect(heard.value.count == 1)
            #expect(newcomer.value == 0)
            #expect(try await loop.call { loop.registrationCount } == 2)
        }
    }

    @Test("is not told what it no longer wants, though it was reported before")
    func masksStaleReadiness() async throws {
        let pipes = try [Pipe(), Pipe()]
        try await withEventLoop { loop in
            let heard = Probe<[Int]>([])
            try await loop.call {
                var registrations: [DescriptorRegistration] = []
                for index in 0..<2 {
                    let handler = ClosureHandler { _ in
                        heard.append(index)
                        for registration in registrations {
                            #expect(throws: Never.self) { try registration.modify([]) }
                        }
                    }
                    registrations.append(try loop.register(pipes[index].readEnd, .readable, handler))
                }
                for pipe in pipes { pipe.write() }
            }
            try await heard.wait { !$0.isEmpty }
            for _ in 0..<10 { await loop.settle() }
            #expect(heard.value.count == 1)
        }
    }

    @Test("reports the peer's end as readable, and a full hang-up as such")
    func reportsHangup() async throws {
        var ends: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let (ours, theirs) = (ends[0], ends[1])
        try await withEventLoop { loop in
            let seen = Probe<Readiness>([])
            let registration = try await loop.call {
                Handover(
                    try loop.register(
                        ours, .readable, ClosureHandler { readiness in seen.update { $0.formUnion(readiness) } }))
            }
            #expect(shutdown(theirs, Int32(SHUT_WR)) == 0)
            try await seen.wait { $0 == .readable }
            close(theirs)
            try await seen.wait { $0.contains(.hangup) }
            try await loop.call { registration.take().cancel() }
            #expect(try await loop.call { !registration.take().isActive })
        }
        close(ours)
    }

    @Test("that the kernel cannot watch is refused with the reason, and takes no place")
    func refusesWhatCannotBeWatched() async throws {
        try await withEventLoop { loop in
            let error = try await loop.call { () -> SystemError? in
                do {
                    _ = try loop.register(-1, .readable, ClosureHandler { _ in })
                    return nil
                } catch { return error as? SystemError }
            }
            #expect(error == SystemError("epoll_ctl", number: EBADF))
            #expect(try await loop.call { loop.registrationCount } == 0)
        }
    }

    @Test("may be cancelled twice, and may change nothing afterwards")
    func cancelIsIdempotent() async throws {
        let pipe = try Pipe()
        try await withEventLoop { loop in
            try await loop.call {
                let registration = try loop.register(pipe.readEnd, .readable, ClosureHandler { _ in })
                registration.cancel()
                registration.cancel()
                try registration.modify(.writable)
                #expect(loop.registrationCount == 0)
            }
        }
    }

    @Test("has sets of interest and readiness that add, take away and contain")
    func sets() {
        var interest: Interest = []
        #expect(interest.isEmpty)
        interest.insert(.readable)
        #expect(interest == .readable)
        #expect(!interest.contains(.writable))
        interest.insert(.writable)
        #expect(interest == [.readable, .writable])
        interest.remove(.readable)
        #expect(interest == .writable)

        var readiness: Readiness = [.readable, .hangup]
        #expect(readiness.contains(.hangup))
        #expect(readiness.contains([.readable, .hangup]))
        #expect(!readiness.contains([.readable, .error]))
        readiness.insert(.error)
        readiness.remove(.readable)
        #expect(readiness == [.hangup, .error])
        #expect(!readiness.isEmpty)
        #expect(readiness.union(.writable).contains(.writable))
    }
}

@Suite("A system error")
struct SystemErrorTests {
    @Test("is thrown for negated errno values only, and names the call, not its arguments")
    func check() throws {
        #expect(try SystemError.check(Int32(7), "read") == 7)
        #expect(try SystemError.check(Int64(0), "read") == 0)
        #expect(throws: SystemError("read", number: EBADF)) { try SystemError.check(-EBADF, "read") }
        #expect(SystemError("read", number: EBADF) != SystemError("write", number: EBADF))
        #expect(SystemError("read", number: 9).description == "read failed with errno 9")
    }
}

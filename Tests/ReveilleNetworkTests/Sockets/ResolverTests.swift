import Dispatch
import Glibc
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTesting
import Testing

@Suite("Name resolution", .timeLimit(.minutes(5)))
struct ResolverTests {
    private static func refuse(_ host: String, _ port: UInt16) -> Result<[SocketAddress], ResolutionError> {
        .failure(ResolutionError(.notFound))
    }

    @Test("an address is given back without asking", arguments: ["127.0.0.1", "::1", "192.0.2.7"])
    func literals(host: String) async throws {
        try await withEventLoop { loop in
            let resolver = SystemResolver(on: loop, lookUp: Self.refuse)
            defer { resolver.stop() }
            let addresses = try await resolver.resolve(host, port: 443)
            #expect(addresses == [SocketAddress(host: host, port: 443)])
        }
    }

    @Test("the system knows localhost")
    func localhost() async throws {
        try await withEventLoop { loop in
            let resolver = SystemResolver(on: loop)
            defer { resolver.stop() }
            let addresses = try await resolver.resolve("localhost", port: 8443)
            #expect(addresses.contains(.loopback(port: 8443)) || addresses.contains(.loopback6(port: 8443)))
            #expect(Set(addresses).count == addresses.count)
        }
    }

    @Test(
        "what cannot be a name is refused without asking",
        arguments: [
            "", "a b", "a\0b", "ä.example", "a/b", "[::1]", "127.1", "0x7f.1", "127.0.0.1.", ".", "a.0X7F",
            "2130706433",
            String(repeating: "a", count: 254),
        ])
    func malformed(host: String) async throws {
        try await withEventLoop { loop in
            let resolver = SystemResolver(on: loop)
            defer { resolver.stop() }
            await #expect(throws: ResolutionError.self) { try await resolver.resolve(host, port: 1) }
        }
    }

    @Test("a failure of the look-up reaches the caller", arguments: ResolutionError.Code.allCases)
    func failures(code: ResolutionError.Code) async throws {
        try await withEventLoop { loop in
            let resolver = SystemResolver(on: loop) { _, _ in .failure(ResolutionError(code)) }
            defer { resolver.stop() }
            await #expect(throws: ResolutionError(code)) { try await resolver.resolve("a.example", port: 1) }
        }
    }

    @Test(
        "a failure means the lack of descriptors when there is one, whatever the system says",
        arguments: [
            (EAI_NONAME, ResolutionError.Code.notFound), (EAI_AGAIN, .temporaryFailure), (EAI_FAIL, .failed),
            (EAI_SYSTEM, .failed),
        ])
    func statuses(status: Int32, code: ResolutionError.Code) {
        #expect(SystemResolver.code(status, lacksDescriptors: false) == code)
        #expect(SystemResolver.code(status, lacksDescriptors: true) == .exhausted)
    }

    @Test("a silent name server costs its caller the time limit, and others nothing")
    func timeout() async throws {
        let clock = ManualClock()
        let gate = DispatchSemaphore(value: 0)
        let asked = Probe<[String]>([])
        try await withEventLoop(clock: clock) { loop in
            let resolver = SystemResolver(on: loop, threads: 2, timeout: .seconds(5)) { host, port in
                asked.append(host)
                if host == "silent.example" { gate.wait() }
                return .success([.loopback(port: port)])
            }
            let silent = Task { try await resolver.resolve("silent.example", port: 1) }
            try await asked.wait { $0.contains("silent.example") }
            #expect(try await resolver.resolve("quick.example", port: 2) == [.loopback(port: 2)])
            try await Self.timers(1, of: loop)
            clock.advance(by: .seconds(6))
            await #expect(throws: ResolutionError(.timedOut)) { try await silent.value }
            gate.signal()
            resolver.stop()
        }
    }

    @Test("names that wait are bounded, and one whose caller has gone is not asked for")
    func bounded() async throws {
        let clock = ManualClock()
        let gate = DispatchSemaphore(value: 0)
        let asked = Probe<[String]>([])
        try await withEventLoop(clock: clock) { loop in
            let resolver = SystemResolver(on: loop, threads: 1, maximumWaiting: 2, timeout: .seconds(5)) { host, port in
                asked.append(host)
                if host == "first.example" { gate.wait() }
                return .success([.loopback(port: port)])
            }
            let first = Task { try await resolver.resolve("first.example", port: 1) }
            try await asked.wait { $0.count == 1 }
            let second = Task { try await resolver.resolve("second.example", port: 1) }
            try await Self.timers(2, of: loop)
            await #expect(throws: ResolutionError(.tooManyWaiting)) {
                try await resolver.resolve("third.example", port: 1)
            }
            clock.advance(by: .seconds(6))
            for task in [first, second] {
                await #expect(throws: ResolutionError(.timedOut)) { try await task.value }
            }
            gate.signal()
            resolver.stop()
            #expect(asked.value == ["first.example"])
        }
    }

    @Test("a cancelled caller does not wait")
    func cancellation() async throws {
        let gate = DispatchSemaphore(value: 0)
        let asked = Probe(0)
        try await withEventLoop { loop in
            let resolver = SystemResolver(on: loop) { _, _ in
                asked.update { $0 += 1 }
                gate.wait()
                return .failure(ResolutionError(.notFound))
            }
            let task = Task { try await resolver.resolve("slow.example", port: 1) }
            try await asked.wait { $0 == 1 }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            gate.signal()
            resolver.stop()
        }
    }

    /// Waits until so many callers have set their time limits.
    private static func timers(_ count: Int, of loop: EventLoop) async throws {
        while try await loop.call({ loop.pendingTimerCount < count }) { await loop.settle() }
    }
}

import Glibc
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTelemetry
import ReveilleTesting
import Testing

@Suite("Listening", .timeLimit(.minutes(5)))
struct ListenerTests {
    @Test("connections are handed to the loops in turn")
    func distribution() async throws {
        try await withSocketLoop(name: "a") { first in
            try await withSocketLoop(name: "b") { second in
                let loops = Probe<[String]>([])
                let listener = try Listener(address: .loopback(port: 0), loops: [first, second]) {
                    descriptor, _, loop in
                    let isRight = loop.isCurrent
                    Glibc.close(descriptor)
                    loops.append(isRight ? loop.name : "wrong thread")
                }
                for _ in 0..<8 {
                    let client = SocketPeer(on: first)
                    await client.connect(to: listener.localAddress)
                }
                let names = try await loops.wait { $0.count == 8 }
                #expect(names.count { $0 == "a" } == 4 && names.count { $0 == "b" } == 4)
                await listener.stopAndWait()
            }
        }
    }

    @Test("an address in use is an error that names the call")
    func addressInUse() async throws {
        try await withSocketWorld { world in
            let error = try #require(throws: SystemError.self) {
                try Listener(address: world.address, loops: [world.serverLoop]) { _, _, _ in }
            }
            #expect(error.number == EADDRINUSE)
            #expect(["bind", "listen"].contains(error.call.description))
        }
    }

    @Test("an address that this machine does not have is an error")
    func foreignAddress() async throws {
        let address = try #require(SocketAddress(parsing: "192.0.2.1:0"))
        try await withEventLoop { loop in
            let error = try #require(throws: SystemError.self) {
                try Listener(address: address, loops: [loop]) { _, _, _ in }
            }
            #expect(error.number == EADDRNOTAVAIL)
        }
    }

    @Test("after a stop the port can be listened at again, and accepted connections go on")
    func stop() async throws {
        try await withSocketWorld(AcceptedSide(reaction: StreamSocketTests.echo)) { world in
            let (client, _) = try await world.pair()
            await world.listener.stopAndWait()
            let again = try Listener(address: world.address, loops: [world.serverLoop]) { descriptor, _, _ in
                Glibc.close(descriptor)
            }
            await client.send([1])
            try await client.record.wait { $0.receivedCount == 1 }
            await again.stopAndWait()
        }
    }

    /// Holds an address of this machine; the kernel may give its port to another test before it is held, then the next one is.
    private static func freeAddress(_ loop: EventLoop) async throws -> (Listener.Hold, SocketAddress) {
        var failure: any Error = CancellationError()
        for _ in 0..<20 {
            let first = try Listener(address: .loopback(port: 0), loops: [loop]) { descriptor, _, _ in close(descriptor)
            }
            let address = first.localAddress
            await first.stopAndWait()
            do {
                return (try Listener.Hold(address), address)
            } catch {
                failure = error
            }
        }
        throw failure
    }

    @Test("an address that is held refuses connections, goes to nobody else, and takes a listener")
    func held() async throws {
        try await withSocketLoop(name: "held") { loop in
            let (hold, address) = try await Self.freeAddress(loop)
            let client = SocketPeer(on: loop)
            await client.connect(to: address)
            #expect(try await client.record.wait { $0.closeReason != nil }.closeReason == .connectFailed(.refused))
            let again = try Listener(address: address, loops: [loop]) { descriptor, _, _ in close(descriptor) }
            #expect(again.localAddress == address)
            withExtendedLifetime(hold) {}
            await again.stopAndWait()
        }
    }

    @Test("without descriptors accepting pauses and does not spin, and goes on when there are some")
    func descriptorsExhausted() async throws {
        await #expect(processExitsWith: .success) {
            try await withSocketLoop(name: "clients") { clientLoop in
                // It does not run yet: connections wait in the kernel's queue.
                let loop = EventLoop(name: "server")
                let accepted = Probe<[Int32]>([])
                let log = MemorySink()
                let listener = try Listener(
                    address: .loopback(port: 0), loops: [loop],
                    log: Log(level: .debug, sink: log, component: "test")
                ) { descriptor, _, _ in
                    accepted.append(descriptor)
                }
                for _ in 0..<4 {
                    let client = SocketPeer(on: clientLoop)
                    await client.connect(to: listener.localAddress)
                    try await client.record.wait { $0.isOpen }
                }
                let usual = Self.limitDescriptors(to: 0)
                loop.start()
                while await listener.pauseCount() < 3 { await loop.settle() }
                #expect(accepted.value.isEmpty)
                #expect(!log.lines.isEmpty)
                Self.limitDescriptors(to: usual)
                for descriptor in try await accepted.wait(until: { $0.count == 4 }) {
                    Glibc.close(descriptor)
                }
                // One pause is a tenth of a second long.
                #expect(await listener.pauseCount() < 20)
                await listener.stopAndWait()
                loop.stop()
            }
        }
    }

    /// Sets how many descriptors the process may have, and returns how many it might have before.
    @discardableResult
    static func limitDescriptors(to count: rlim_t) -> rlim_t {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        getrlimit(resource, &limit)
        defer {
            limit.rlim_cur = count
            setrlimit(resource, &limit)
        }
        return limit.rlim_cur
    }
}

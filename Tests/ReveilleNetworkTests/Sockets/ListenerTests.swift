import Glibc
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTelemetry
import ReveilleTesting
import Testing

@Suite("Listening", .timeLimit(.minutes(1)))
struct ListenerTests {
    @Test("connections are handed to the loops in turn")
    func distribution() async throws {
        try await withEventLoop(name: "a") { first in
            try await withEventLoop(name: "b") { second in
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

    @Test("without descriptors accepting pauses and does not spin, and goes on when there are some")
    func descriptorsExhausted() async throws {
        await #expect(processExitsWith: .success) {
            try await withEventLoop { loop in
                let accepted = Probe(0)
                let log = MemorySink()
                let listener = try Listener(
                    address: .loopback(port: 0), loops: [loop],
                    log: Log(level: .debug, sink: log, component: "test")
                ) { descriptor, _, _ in
                    accepted.update { $0 += 1 }
                }
                // Descriptors below this number are in use; clients may open theirs, accepting may
                // not.
                let free = dup(0)
                let clients = (0..<4).map { _ in SocketPeer(on: loop) }
                var limit = rlimit()
                getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                let usual = limit
                limit.rlim_cur = rlim_t(free) + 5
                Glibc.close(free)
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                for client in clients { await client.connect(to: listener.localAddress) }
                while await listener.pauseCount() < 3 { await loop.settle() }
                let whenFull = accepted.value
                limit = usual
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                try await accepted.wait { $0 == 4 }
                #expect(whenFull < 4)
                #expect(await listener.pauseCount() < 20)
                #expect(!log.lines.isEmpty)
            }
        }
    }
}

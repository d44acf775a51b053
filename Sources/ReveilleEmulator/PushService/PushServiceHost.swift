internal import ReveilleNetwork
internal import ReveilleRuntime

/// The isolation of a push service's world: an actor on the event loop that its connections live on.
actor PushServiceHost<Provider: PushServiceProvider> {
    nonisolated let loop: EventLoop
    private let world: PushServiceWorld<Provider>

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(
        _ configuration: PushServiceConfiguration<Provider>, loop: EventLoop, clock: any WallClock,
        random: any RandomSource
    ) {
        self.loop = loop
        world = PushServiceWorld(configuration, loop: loop, clock: clock, random: random)
    }

    /// Looks at the world, or changes it.
    func perform<R: Sendable, E: Error>(
        _ body: @Sendable (PushServiceWorld<Provider>) throws(E) -> sending R
    ) throws(E) -> R {
        try body(world)
    }

    /// Takes a request; called on the loop's thread.
    nonisolated func receive(_ request: HTTPRequest) -> (UInt64, PushServiceWorld<Provider>.Verdict) {
        assumeIsolated { $0.world.receive(request) }
    }

    func answered(_ number: UInt64, _ response: HTTPResponse) -> HTTPResponse { world.answered(number, response) }
}

/// Gives the requests of the server to the world.
struct PushServiceHandler<Provider: PushServiceProvider>: HTTPHandler {
    let host: PushServiceHost<Provider>

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let (number, verdict) = host.receive(request)
        switch verdict {
        case .now(let response): return response
        case .later(let response, let milliseconds):
            // Ends early only when the emulator stops.
            try? await host.loop.sleep(for: .milliseconds(milliseconds))
            return await host.answered(number, response)
        case .held(let signal):
            if let response = try? await signal.wait() { return response }
        case .never:
            // Only the end of the emulator ends the wait.
            try? await OneShot<Void>().wait()
        }
        var response = HTTPResponse(status: 503)
        response.conclusion = .dropConnection(abruptly: true)
        return response
    }
}

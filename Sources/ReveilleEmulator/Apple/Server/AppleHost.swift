internal import ReveilleNetwork
internal import ReveilleRuntime
internal import ReveilleTLS

/// The isolation of the world: an actor on the event loop that its sockets live on.
actor AppleHost {
    nonisolated let loop: EventLoop
    private let world: AppleWorld

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(
        _ configuration: APNsEmulatorConfiguration, loop: EventLoop, clock: any WallClock,
        random: any RandomSource
    ) {
        self.loop = loop
        world = AppleWorld(configuration, loop: loop, clock: clock, random: random)
    }

    /// Looks at the world, or changes it.
    func perform<R: Sendable, E: Error>(
        _ body: @Sendable (AppleWorld) throws(E) -> sending R
    ) throws(E) -> R {
        try body(world)
    }

    /// Takes a connection from a listening socket; called on the loop's thread.
    nonisolated func admit(
        _ descriptor: Int32, from peer: SocketAddress, to environment: AppleEnvironment,
        tls: TLSContext
    ) {
        assumeIsolated { host in
            host.world.admit(descriptor, from: peer, to: environment, tls: tls)
        }
    }
}

package import ReveilleJSON
package import ReveilleNetwork
package import ReveilleRuntime
package import ReveilleTelemetry

/// A stand-in for a push service: what commands, tests and control interfaces ask of each.
package protocol Emulator: Sendable {
    /// What it counts.
    associatedtype Counters: NamedCounters

    /// The certificate of the authority that clients must trust, as PEM.
    ///
    /// Its key is only in memory.
    var authorityPEM: String { get }

    /// The thread that everything happens on; it runs from the start to the stop.
    var loop: EventLoop { get }

    /// Starts to listen.
    ///
    /// - Returns: an address where it listens.
    /// - Throws: `listen_failed` when an address cannot be used, `wrong_state` when it was started before.
    @discardableResult
    func start() async throws(EmulatorError) -> SocketAddress

    /// Ends all connections and the thread.
    func stop() async

    /// Closes the listening sockets, so that the kernel refuses connections, or opens them again at the same addresses.
    func setListening(_ listening: Bool) async throws(EmulatorError)

    /// The counters now.
    func counters() async -> Counters

    /// Waits until the counters meet a condition.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    func wait(until condition: @escaping @Sendable (Counters) -> Bool) async throws(CancellationError)

    /// Answers a request to the control interface, except those that all emulators answer alike.
    func answer(_ request: ControlRequest) async -> ControlAnswer

    /// The counters as the control interface shows them.
    static func json(of counters: Counters) -> JSONObject
}

extension Emulator {
    /// Waits until the counters meet a condition, but no longer than `patience` of real time.
    ///
    /// - Returns: whether they met it.
    package func wait(
        until condition: @escaping @Sendable (Counters) -> Bool, atMost patience: Duration
    ) async -> Bool {
        await withTaskGroup(of: Bool.self) { race in
            race.addTask { (try? await self.wait(until: condition)) != nil }
            race.addTask {
                // Ends early only when the other has won or the emulator stops.
                try? await self.loop.sleep(for: patience)
                return false
            }
            let isMet = await race.next() ?? false
            race.cancelAll()
            return isMet
        }
    }

    /// Answers a request to the control interface.
    package func control(_ request: ControlRequest) async -> ControlAnswer {
        if request.method == "POST", request.path == ["wait"] { return await awaitCounters(request) }
        return await answer(request)
    }

    /// Waits as a request asks, and answers whether the wish was met, with the counters of that moment.
    private func awaitCounters(_ request: ControlRequest) async -> ControlAnswer {
        let wish: CounterWish<Counters>
        do throws(JSONFieldError) {
            try request.refuseQuery()
            wish = try CounterWish(try request.json())
        } catch {
            return .error(error)
        }
        let isMet = await wait(until: { wish.isMet(by: $0) }, atMost: wish.patience)
        return ControlAnswer(200, ["met": .boolean(isMet), "counters": .object(Self.json(of: await counters()))])
    }

    /// A server of the control interface, on the emulator's own thread.
    ///
    /// It has no credentials: give it an address of the loopback interface. Drain it before the emulator is stopped.
    package func makeControlServer(on address: SocketAddress, log: Log = .silent) -> HTTPServer {
        var limits = HTTPServerLimits()
        limits.maximumBodyBytes = EmulatorRun<Self>.maximumScriptBytes
        return HTTPServer(
            configuration: HTTPServerConfiguration(address: address, limits: limits),
            loops: [loop], handler: ControlHandler(emulator: self),
            errorResponse: { status, code in
                HTTPResponse(
                    status: status, fields: ["content-type": "application/json"],
                    body: .bytes(ControlAnswer.error(status, code).body))
            }, log: log.scoped("control"))
    }
}

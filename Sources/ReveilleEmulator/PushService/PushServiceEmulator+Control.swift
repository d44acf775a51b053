package import ReveilleJSON
internal import ReveilleRuntime

/// What tests and commands ask of a running push service.
extension PushServiceEmulator {
    /// Puts a fault in force and returns its name; nil when there are too many.
    @discardableResult
    package func addFault(_ fault: PushServiceFault) async -> String? {
        await host.perform { $0.faults.add(fault) }
    }

    /// Takes a fault away.
    ///
    /// False when there is none of this name.
    @discardableResult
    package func removeFault(_ id: String) async -> Bool {
        await host.perform { $0.faults.remove(id) }
    }

    /// Takes all faults away.
    ///
    /// What is held stays held.
    package func removeFaults() async {
        await host.perform { $0.faults.removeAll() }
    }

    /// Answers requests that are held, oldest first; returns how many.
    @discardableResult
    package func releaseHeld(target: String? = nil, limit: Int = .max) async -> Int {
        await host.perform { $0.release(limit: limit, target: target) }
    }

    /// The counters now.
    package func counters() async -> PushServiceCounters {
        await host.perform { $0.counters }
    }

    /// Waits until the counters meet a condition.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    package func wait(
        until condition: @escaping @Sendable (PushServiceCounters) -> Bool
    ) async throws(CancellationError) {
        let signal = await host.perform { $0.signal(when: condition) }
        do throws(CancellationError) {
            try await signal.wait()
        } catch {
            await host.perform { $0.forget(signal) }
            throw error
        }
    }

    /// Everything that was seen after a running number, oldest first.
    package func seen(after number: UInt64 = 0, limit: Int = .max) async -> [SeenExchange] {
        await host.perform { $0.exchanges(after: number, limit: limit) }
    }

    /// The accepted ones of what was seen.
    package func pushes(after number: UInt64 = 0, limit: Int = .max) async -> [SeenExchange] {
        await host.perform { $0.exchanges(after: number, limit: limit, where: \.isAccepted) }
    }

    /// Forgets history, counters, devices and faults, and answers what is held.
    package func reset() async {
        await host.perform { $0.reset() }
    }

    /// Answers a request to the control interface.
    package func answer(_ request: ControlRequest) async -> ControlAnswer {
        await host.perform { PushServiceControl(world: $0).answer(request) }
    }

    /// The counters as the control interface shows them.
    package static func json(of counters: PushServiceCounters) -> JSONObject { counters.json }

    /// The first words of the control interface's paths.
    package static var controlPaths: [String] {
        PushServiceControl<Provider>.paths.union(ControlHandler<PushServiceEmulator>.ownPaths)
            .union(Provider.controlPaths).sorted()
    }
}

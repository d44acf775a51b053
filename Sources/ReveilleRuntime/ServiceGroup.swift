/// Services that start in order and stop in reverse order, each within its limit.
package struct ServiceGroup: Sendable {
    /// One service of a group.
    package struct Member: Sendable {
        /// What reports call it.
        package let name: StaticString
        package let service: any Service
        /// How long it may take to return once it is told to stop.
        package let stopLimit: Duration

        /// A member with its limit.
        package init(name: StaticString, service: any Service, stopLimit: Duration) {
            self.name = name
            self.service = service
            self.stopLimit = stopLimit
        }
    }

    /// What happens in a group, for the log.
    package enum Event: Sendable {
        case started(StaticString)
        /// The service was told to stop.
        case stopping(StaticString)
        case stopped(StaticString)
        /// The service threw something else than its cancellation.
        case failed(StaticString)
        /// The service did not return within its limit. The group goes on stopping the others and still waits for it, so the
        /// observer decides whether the process should end.
        case overran(StaticString)
    }

    private let members: [Member]
    private let timer: EventLoop
    private let observe: @Sendable (Event) -> Void

    /// A group whose limits run on the clock of `timer`, a loop that outlives the group.
    package init(
        _ members: [Member], timer: EventLoop, observe: @escaping @Sendable (Event) -> Void = { _ in }
    ) {
        self.members = members
        self.timer = timer
        self.observe = observe
    }

    /// Runs all services until the task is cancelled or one of them ends, then stops them, the last one first.
    ///
    /// - Throws: the first error, in the order of the members, that a service threw by itself.
    package func run() async throws {
        let stopRequest = OneShot<Void>()
        // Apart from the caller's cancellation, which must reach the services one by one and in reverse order.
        let supervisor = Task.detached { await self.supervise(until: stopRequest) }
        let outcomes = await withTaskCancellationHandler {
            await supervisor.value
        } onCancel: {
            stopRequest.fulfil(())
        }
        for outcome in outcomes { try outcome.get() }
    }

    private func supervise(until stopRequest: OneShot<Void>) async -> [Result<Void, any Error>] {
        let runs = members.map { ServiceRun(member: $0) }
        await withTaskGroup(of: Void.self) { group in
            for run in runs {
                observe(.started(run.member.name))
                group.addTask {
                    observe(await run.live())
                    stopRequest.fulfil(())
                }
            }
            // Nothing cancels this task, so the wait ends with the request.
            try? await stopRequest.wait()
            for run in runs.reversed() {
                if run.outcome == nil { observe(.stopping(run.member.name)) }
                if await run.stop(timer: timer) == .overran { observe(.overran(run.member.name)) }
            }
        }
        return runs.map { $0.outcome ?? .success(()) }
    }
}

/// One member of a group while it runs.
private struct ServiceRun: Sendable {
    enum StopResult {
        case ended
        case overran
    }

    let member: ServiceGroup.Member
    private let stopSignal = OneShot<Void>()
    private let end = OneShot<Result<Void, any Error>>()

    init(member: ServiceGroup.Member) {
        self.member = member
    }

    /// How the service ended, once it has.
    var outcome: Result<Void, any Error>? { end.value }

    /// Runs the service until it returns; the stop signal cancels it.
    func live() async -> ServiceGroup.Event {
        let outcome: Result<Void, any Error> = await withTaskGroup { race in
            race.addTask { await Self.result(of: member.service) }
            race.addTask {
                // Cancelled when the service returned by itself and needs no signal any more.
                try? await stopSignal.wait()
                return nil
            }
            var outcome: Result<Void, any Error> = .success(())
            for await result in race {
                if let result { outcome = result }
                race.cancelAll()
            }
            return outcome
        }
        end.fulfil(outcome)
        switch outcome {
        case .success: return .stopped(member.name)
        case .failure: return .failed(member.name)
        }
    }

    private static func result(of service: any Service) async -> Result<Void, any Error>? {
        do {
            try await service.run()
            return .success(())
        } catch is CancellationError {
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    /// Tells the service to stop and waits for it, but not longer than its limit.
    func stop(timer: EventLoop) async -> StopResult {
        stopSignal.fulfil(())
        return await withTaskGroup { race in
            race.addTask {
                // Cancelled when the limit came first.
                (try? await end.wait()) == nil ? StopResult.overran : .ended
            }
            race.addTask {
                // Cancelled when the service ended first.
                (try? await timer.sleep(for: member.stopLimit)) == nil ? StopResult.ended : .overran
            }
            let first = await race.next()
            race.cancelAll()
            return first ?? .ended
        }
    }
}

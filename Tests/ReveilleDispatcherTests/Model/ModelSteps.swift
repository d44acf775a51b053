import ReveilleCore
import ReveilleDispatcher
import ReveilleRuntime
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTesting

/// The random steps of the model, each a thing that happens to real servers.
enum ModelSteps {
    static func word(_ outcome: Outcome) -> String {
        switch outcome {
        case .accepted: "accepted"
        case .retry(_, let floor): "retry \(floor)"
        case .unknown: "unknown"
        case .renewCredential: "renew"
        case .deviceGone: "gone"
        case .wrongEnvironment: "wrong environment"
        case .misconfigured(_, let scope): "misconfigured \(scope)"
        case .refused: "refused"
        }
    }
}

extension ModelWorld {
    /// One random step.
    func step() async throws {
        collectTaken()
        switch random.uniform(0..<1_000) {
        case 0..<180: try await post()
        case 180..<420: try await pullSomewhere()
        case 420..<640: answerSomething()
        case 640..<860: await callSomewhere()
        case 860..<900: await passTime()
        case 900..<915: try await registerAgain()
        case 915..<922: try await leave()
        case 922..<932: try await join()
        case 932..<945: try await read()
        case 945..<960: try await fetch()
        case 960..<975: try await sweep()
        case 975..<982: try await restart()
        case 982..<988: changeConnection()
        case 988..<995: changeSettings()
        case 995..<998: try await jump()
        default: await performAll()
        }
    }

    private var somewhere: (process: ModelProcess, lane: Int)? {
        pick(processes.compactMap { $0 }).map { ($0, chance(85) ? 0 : 1) }
    }

    private func post() async throws {
        guard let store = anyStore else { return }
        let profiles = Self.profiles.filter { _ in chance(50) }
        guard !profiles.isEmpty else { return }
        let ttl: Int64? = chance(20) ? 60 : chance(50) ? 3_600 : nil
        let alert: Alert = chance(80) ? .visible : .silent
        let series = chance(40) ? "s\(random.uniform(0..<3))" : nil
        let accepted = try await store.post(to: profiles, series: series, alert: alert, ttl: ttl)
        let ends = Lifetime.wakeExpiry(alert: alert, ttlSeconds: ttl, nowMilliseconds: steady)
        reference.promise(accepted, profiles: profiles, .init(endsAt: ends))
        note("post \(accepted.deliveries.map(\.number)) to \(profiles)")
    }

    private func pullSomewhere() async throws {
        guard let (process, lane) = somewhere else { return }
        try await pull(process, lane)
    }

    private func answerSomething() {
        guard !inFlight.isEmpty else { return }
        let index = random.uniform(0..<inFlight.count)
        let reason = Self.reason
        switch random.uniform(0..<100) {
        case 0..<62: answer(index, .accepted, providerTook: true)
        case 62..<70: answer(index, .unknown(reason: reason), providerTook: chance(50))
        case 70..<75: answer(index, .retry(reason: reason, after: .atOnceThenSchedule), providerTook: false)
        case 75..<79: answer(index, .retry(reason: reason, after: .schedule(seconds: 30)), providerTook: false)
        case 79..<82: answer(index, .retry(reason: reason, after: .devicePaced(seconds: 60)), providerTook: false)
        case 82..<84: answer(index, .retry(reason: reason, after: .lanePaced(seconds: 20)), providerTook: false)
        case 84..<87: answer(index, .renewCredential(reason: reason), providerTook: false)
        case 87..<90: answer(index, .deviceGone(reason: reason, sinceMilliseconds: nil), providerTook: false)
        case 90..<92: answer(index, .deviceGone(reason: reason, sinceMilliseconds: 5), providerTook: false)
        case 92..<95: answer(index, .wrongEnvironment(reason: reason), providerTook: false)
        case 95..<97: answer(index, .refused(reason: reason), providerTook: false)
        case 97..<98: answer(index, .misconfigured(reason: reason, scope: .topic), providerTook: false)
        default: answer(index, .misconfigured(reason: reason, scope: .lane), providerTook: false)
        }
    }

    private func callSomewhere() async {
        guard let (process, lane) = somewhere else { return }
        for _ in 0..<random.uniform(1..<4) {
            await performOne(process, process.lanes[lane], failing: chance(2))
        }
    }

    private func passTime() async {
        let milliseconds = chance(70) ? random.uniform(1..<3_000) : random.uniform(3_000..<90_000)
        clock.advance(by: .milliseconds(milliseconds))
        note("+\(milliseconds) ms")
        for case let process? in processes { for lane in process.lanes { lane.turn() } }
    }

    func newToken() -> [UInt8] {
        tokenCount += 1
        return [0xAA] + withUnsafeBytes(of: tokenCount.bigEndian) { Array($0) }
    }

    private func registerAgain() async throws {
        guard let store = anyStore, let install = pick(reference.installs.filter(\.isOn)) else { return }
        // Apps register at each start, mostly with the token that they have.
        let token = chance(50) ? newToken() : install.token
        let device = try await store.register(install: install.name, token: token, profile: install.profile)
        if device.row != install.row { fail("a rotation changed the device's row") }
        for index in reference.installs.indices where reference.installs[index].row == install.row {
            reference.installs[index].token = token
        }
        reference.registeredAt[install.row] = steady
        if reference.disabledDevices.remove(install.row) != nil {
            // An app that registers is awake and syncs; what was cancelled meanwhile is not woken for again.
            for delivery in reference.deliveries[install.profile] ?? [] {
                reference.covered.insert(.init(device: install.row, delivery: delivery))
            }
        }
        note("\(token == install.token ? "register again" : "rotate") \(device.row.number)")
    }

    private func leave() async throws {
        guard let process = anyProcess, reference.installs.count(where: \.isOn) > 3 else { return }
        let store = process.store
        let candidates = reference.installs.indices.filter { reference.installs[$0].isOn }
        guard let index = pick(candidates) else { return }
        let install = reference.installs[index]
        let profile = try await store.profile(install.profile, of: try await store.testProducer())
        _ = try await store.remove(install.row, of: profile)
        reference.installs[index].isOn = false
        reference.withdrawn[install.row] = steady
        note("remove \(install.row.number)")
    }

    func join() async throws {
        guard let store = anyStore, reference.installs.count(where: \.isOn) < 9,
            let profile = pick(Self.profiles)
        else { return }
        installCount += 1
        let name = "install\(installCount)"
        let token = newToken()
        let device = try await store.register(install: name, token: token, profile: profile)
        reference.installs.append(ModelReference.Install(row: device.row, profile: profile, name: name, token: token))
        note("register \(device.row.number) of \(profile)")
    }

    private func read() async throws {
        guard let process = anyProcess, let profile = pick(Self.profiles),
            let delivery = pick(reference.deliveries[profile] ?? [])
        else { return }
        let store = process.store
        let row = try await store.profile(profile, of: try await store.testProducer())
        _ = try await store.markRead(delivery, of: row)
        reference.read.insert(delivery)
        note("read \(delivery.number)")
    }

    /// A device fetches what is new, or confirms one delivery.
    private func fetch() async throws {
        guard let process = anyProcess, let install = pick(reference.installs.filter(\.isOn)) else { return }
        let store = process.store
        let row = try await store.profile(install.profile, of: try await store.testProducer())
        let known = reference.deliveries[install.profile] ?? []
        if chance(50), let delivery = pick(known) {
            _ = try await store.recordReceipt(delivery, by: install.row, of: row)
            reference.covered.insert(.init(device: install.row, delivery: delivery))
            note("receipt \(delivery.number) by \(install.row.number)")
        } else if case .page(_, let next, _, _, _) = try await store.changes(of: row, since: nil, limit: 1_000) {
            try await store.acknowledge(next, by: install.row)
            for delivery in known {
                reference.covered.insert(.init(device: install.row, delivery: delivery))
            }
            note("sync by \(install.row.number) at p\(process.number)")
        }
    }

    func sweep() async throws {
        guard let process = pick(processes.compactMap { $0 }) else { return }
        if process.sweepClock.observe(wall: wall, steady: steady) != nil { try await planAnew(process) }
        let due = try await process.store.sweep(expiryAllowed: process.sweepClock.mayExpire(steady: steady))
        for lane in process.lanes where due.contains(lane.key) { lane.mailbox.noteDue(wall) }
        for status in try await process.store.lanes() {
            let pauses = Dictionary(
                uniqueKeysWithValues: status.pauses.map { ($0.topic.map { PauseScope.topic($0) } ?? .lane, $0.reason) })
            for lane in process.lanes where lane.key == status.key {
                lane.mailbox.notePauses(pauses)
                if pauses.isEmpty, status.held > 0 { lane.mailbox.noteStranded() }
            }
        }
        for lane in process.lanes { lane.turn() }
        note("p\(process.number) sweeps")
    }

    private func restart() async throws {
        let number = random.uniform(0..<2)
        await crash(number)
        if processes.allSatisfy({ $0 == nil }) || chance(80) { try await start(number) }
        if processes[1 - number] == nil { try await start(1 - number) }
    }

    private func changeConnection() {
        guard let (process, lane) = somewhere else { return }
        let state: SenderState = chance(40) ? .backingOff(reason: Self.reason) : chance(50) ? .opening : .ready
        process.lanes[lane].driver.senderDidChange(state)
        process.lanes[lane].turn()
        note("p\(process.number) connection \(state)")
    }

    private func changeSettings() {
        for case let process? in processes {
            for lane in process.lanes {
                lane.mailbox.noteSettingsChange()
                lane.driver.senderDidChange(.ready)
                lane.turn()
            }
        }
        note("settings")
    }

    private func jump() async throws {
        guard jumps else { return }
        reference.jumpedAt = steady
        clock.jumpWall(by: .seconds(chance(50) ? 7_200 : -7_200))
        note("jump")
        // The dispatcher notices within a sweep; whoever writes to the store before that notices there.
        guard chance(50) else { return }
        for case let process? in processes {
            _ = process.sweepClock.observe(wall: wall, steady: steady)
            try await planAnew(process)
        }
    }

    private func planAnew(_ process: ModelProcess) async throws {
        for lane in process.lanes { lane.turn() }
        try await process.store.replan()
        for lane in process.lanes {
            lane.mailbox.notePlan()
            lane.turn()
        }
    }
}

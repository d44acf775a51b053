package import ReveilleCore
package import ReveilleStorage

extension SQLiteHomeStore {
    package func attach(_ intake: any LaneIntake) async {
        await writer.attach(intake)
    }

    package func lease(
        _ lane: LaneKey, limit: Int, lease: Lease, onlyTopic: String?, excludingTopics: Set<String>
    ) async throws(StoreError) -> [LeasedWake] {
        try await writer.write { transaction in
            try LeaseOperation(transaction, lease: lease).run(
                lane, limit: limit, onlyTopic: onlyTopic, excludingTopics: excludingTopics)
        }
    }

    package func settle(_ lane: LaneKey, _ tries: [EndedTry]) async throws(StoreError) -> [SettledTry] {
        if tries.isEmpty { return [] }
        return try await writer.write(precedence: .finishing) { transaction in
            var operation = SettleOperation(transaction, lane: lane)
            return try operation.run(tries)
        }
    }

    package func renew(
        _ lane: LaneKey, _ wakes: [WakeRow], token: Int64, untilMilliseconds: Int64
    ) async throws(StoreError) -> [WakeRow] {
        try await writer.write(precedence: .finishing) { transaction in
            try LaneOperations(transaction).renew(wakes, token: token, untilMilliseconds: untilMilliseconds)
        }
    }

    package func giveBack(
        _ lane: LaneKey, _ wakes: [GivenBackWake], as reason: GiveBackReason
    ) async throws(StoreError) {
        try await writer.write(precedence: .finishing) { transaction in
            try LaneOperations(transaction).giveBack(wakes, as: reason)
        }
    }

    package func unsendable(_ lane: LaneKey, _ wakes: [GivenBackWake]) async throws(StoreError) -> [WakeRow] {
        try await readers.read { session in try LaneReports(session).unsendable(wakes) }
    }

    package func nextDue(_ lane: LaneKey, excludingTopics: Set<String>) async throws(StoreError) -> Int64? {
        try await readers.read { session in
            try LaneReports(session).nextDue(lane, excludingTopics: excludingTopics)
        }
    }

    package func recordPause(_ lane: LaneKey, topic: String?, reason: ProviderReason?) async throws(StoreError) {
        try await writer.write { transaction in
            try LaneOperations(transaction).recordPause(lane, topic: topic, reason: reason)
        }
        guard reason != nil else { return }
        // From now on new wakes are held at insert; what waited before follows in pieces.
        while try await writer.write(
            { transaction in try LaneOperations(transaction).holdWaiting(lane, topic: topic) }
        ) == LaneOperations.chunk {}
    }

    package func leaseLaneProbe(_ lane: LaneKey, topic: String?, lease: Lease) async throws(StoreError) -> LeasedWake? {
        try await writer.write { transaction in
            try LaneOperations(transaction).leaseProbe(lane, topic: topic, lease: lease)
        }
    }

    package func leaseEarliest(_ lane: LaneKey, lease: Lease) async throws(StoreError) -> LeasedWake? {
        try await writer.write { transaction in try LaneOperations(transaction).leaseEarliest(lane, lease: lease) }
    }

    package func catchUp(_ lane: LaneKey, topic: String?) async throws(StoreError) -> Int {
        var made = 0
        var position: CatchUp.Position?
        repeat {
            let progress = try await writer.write { [position] transaction in
                try CatchUp(transaction).run(lane, topic: topic, after: position)
            }
            made += progress.made
            position = progress.next
        } while position != nil
        return made
    }

    package func releaseDeviceProbes(_ lane: LaneKey, topic: String, limit: Int) async throws(StoreError) -> Int {
        try await writer.write { transaction in
            guard let lane = try transaction.lanes.number(of: lane),
                let topic = try transaction.lanes.number(ofTopic: topic)
            else { return 0 }
            return try QuarantineProbes(transaction).releaseAll(lane: lane, topic: topic, limit: limit)
        }
    }

    package func sweep(expiryAllowed: Bool) async throws(StoreError) -> [LaneKey] {
        while try await writer.write({ transaction in try Sweep(transaction).freeLeases() }) == Sweep.chunk {}
        if expiryAllowed {
            while try await writer.write({ transaction in try Sweep(transaction).expire() }) == Sweep.chunk {}
        }
        return try await writer.write { transaction in try Sweep(transaction).dueLanes() }
    }

    package func replan() async throws(StoreError) {
        try await writer.write { transaction in try Sweep(transaction).replan() }
    }

    package func lanes() async throws(StoreError) -> [LaneStatus] {
        try await readers.read { session in try LaneReports(session).lanes().filter(\.needsLane) }
    }

    package func allLanes() async throws(StoreError) -> [LaneStatus] {
        try await readers.read { session in try LaneReports(session).lanes() }
    }
}

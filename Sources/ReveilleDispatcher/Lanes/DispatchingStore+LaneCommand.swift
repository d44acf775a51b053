package import ReveilleCore
package import ReveilleStorage

extension DispatchingStore {
    /// Makes the call that a lane asked for.
    package func perform(_ command: LaneCommand, for lane: LaneKey) async throws(StoreError) -> LaneReply {
        switch command {
        case .settle(let tries): return .settled(try await settle(lane, tries))
        case .giveBack(let wakes, let reason):
            try await giveBack(lane, wakes, as: reason)
            return .gaveBack
        case .renew(let wakes, let token, let until):
            return .renewed(lost: try await renew(lane, wakes, token: token, untilMilliseconds: until))
        case .recordPause(let scope, let reason):
            try await recordPause(lane, topic: scope.topic, reason: reason)
            return .pauseRecorded
        case .verify(let wakes): return .verified(unsendable: try await unsendable(lane, wakes))
        case .leaseProbe(let scope, let lease):
            return .probeLeased(try await leaseLaneProbe(lane, topic: scope.topic, lease: lease))
        case .leaseEarliest(let lease): return .probeLeased(try await leaseEarliest(lane, lease: lease))
        case .catchUp(let scope): return .caughtUp(try await catchUp(lane, topic: scope.topic))
        case .releaseProbes(let topic, let limit):
            return .probesReleased(try await releaseDeviceProbes(lane, topic: topic, limit: limit))
        case .nextDue(let topics): return .nextDue(try await nextDue(lane, excludingTopics: topics))
        case .lease(let limit, let lease, let topics):
            return .leased(
                try await self.lease(lane, limit: limit, lease: lease, onlyTopic: nil, excludingTopics: topics))
        }
    }
}

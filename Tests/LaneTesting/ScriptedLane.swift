package import ReveilleCore
package import ReveilleTesting

/// A try that a test hands to a sender.
package struct ScriptedTry: Sendable {
    /// The mark that comes back with the end.
    package let tag: UInt64
    package var standing: TokenStanding
    /// What is written beside the tag.
    package var payload: [UInt8]
    /// The octets of the address.
    package var address: [UInt8]
    package var expirationSeconds: Int64 = 1_900_000_000
    package var leaseUntilMilliseconds = Int64.max

    /// A try with a payload.
    package init(
        _ tag: Int, _ standing: TokenStanding = .proven, payload: String = "{}", address: [UInt8] = []
    ) {
        self.tag = UInt64(tag)
        self.standing = standing
        self.payload = Array(payload.utf8)
        self.address = address
    }

    /// Tries with ascending tags.
    package static func many(
        _ count: Int, from first: Int = 1, _ standing: TokenStanding = .proven
    ) -> [ScriptedTry] {
        (first..<(first + count)).map { ScriptedTry($0, standing) }
    }

    func write(into buffer: TryBuffer) {
        for (index, octet) in address.enumerated() { buffer.address[index] = octet }
        buffer.addressCount = address.count
        buffer.collapseCount = 0
        buffer.reservePayload(octets: payload.count)
        _ = buffer.payload.update(from: payload)
        buffer.payloadCount = payload.count
        buffer.expirationSeconds = expirationSeconds
        buffer.mode = .privateAlert
        buffer.tag = tag
        buffer.leaseUntilMilliseconds = leaseUntilMilliseconds
    }
}

/// How a try ended.
package struct ScriptedEnd: Sendable {
    package let tag: UInt64
    package let result: TryResult
    package var outcome: Outcome { result.outcome }
}

/// A lane that hands out what a test gives it, and notes what comes back.
///
/// Confined to the sender's loop, but for its probes.
package final class ScriptedLane: TrySource {
    private var waiting: [ScriptedTry] = []
    private let ended: Probe<[ScriptedEnd]>
    private let states: Probe<[SenderState]>

    /// A lane without tries.
    package init(ended: Probe<[ScriptedEnd]>, states: Probe<[SenderState]>) {
        self.ended = ended
        self.states = states
    }

    /// How many tries nobody has taken.
    package var unsent: Int { waiting.count }

    /// Puts tries behind those that wait.
    package func add(_ tries: [ScriptedTry]) { waiting += tries }

    package func hasTry(of standing: TokenStanding) -> Bool { waiting.contains { $0.standing == standing } }

    package func nextTry(of standing: TokenStanding, into buffer: TryBuffer) -> Bool {
        guard let next = waiting.firstIndex(where: { $0.standing == standing }) else { return false }
        waiting.remove(at: next).write(into: buffer)
        return true
    }

    package func tryDidEnd(tag: UInt64, result: TryResult) { ended.append(ScriptedEnd(tag: tag, result: result)) }

    package func senderDidChange(_ state: SenderState) { states.append(state) }
}

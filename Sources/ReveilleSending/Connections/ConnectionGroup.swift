internal import ReveilleCore
internal import ReveilleNetwork
internal import ReveilleRuntime

/// The connections of a set that carry the same kind of tries, and how far the next one is.
///
/// Each group opens, grows and waits by itself: what happens to one does not reach the other.
final class ConnectionGroup {
    /// Whether, and how, a connection is being opened.
    enum Opening {
        case none
        case lookingUp(NameLookup)
        /// Until the timer ends nothing is opened.
        case waiting(LoopTimer)
    }

    /// Whose tries are taken first.
    let standing: TokenStanding
    /// Whose tries are taken when there are none of ``standing``.
    let otherStanding: TokenStanding?
    /// The most connections kept open at once.
    let limit: Int
    var connections: [SendingConnection] = []
    var opening = Opening.none
    /// Attempts to connect, one after the other, that brought no answer.
    var failures = 0
    /// A wait has ended and nothing was tried since: the source may bring something to try with.
    var isDue = false
    /// Whether a connection of it was ever of use.
    var hasProved = false
    /// Why the last of the failed attempts ended.
    var lastFailure = ConnectionFault.notConnected
    /// Whether the source had more when it was last asked.
    private(set) var hasWork = false
    /// How many looks in a row found every connection saturated.
    var saturatedLooks = 0

    init(_ standing: TokenStanding, and otherStanding: TokenStanding? = nil, limit: Int) {
        self.standing = standing
        self.otherStanding = otherStanding
        self.limit = limit
    }

    /// Whether the source has a try for the group.
    func looksForWork(in source: any TrySource) -> Bool {
        hasWork = source.hasTry(of: standing) || (otherStanding.map { source.hasTry(of: $0) } ?? false)
        return hasWork
    }

    /// Takes the next try for the group from the source.
    func takeTry(from source: any TrySource, into buffer: TryBuffer) -> Bool {
        hasWork = source.nextTry(of: standing, into: buffer)
        if !hasWork, let otherStanding { hasWork = source.nextTry(of: otherStanding, into: buffer) }
        return hasWork
    }

    /// Whether a connection takes as many tries as the server allows, and it allows some.
    var isReady: Bool { connections.contains { $0.isOpen && $0.isUnrestricted && $0.allowsStreams } }

    /// Whether there are open connections, and the server lets no request begin on any of them.
    var isBlocked: Bool {
        let open = connections.filter(\.isOpen)
        return !open.isEmpty && !open.contains(where: \.allowsStreams)
    }

    /// Whether a connection is on its way.
    var isOpening: Bool {
        switch opening {
        case .lookingUp: true
        case .none, .waiting: connections.contains(where: \.isOpening)
        }
    }

    /// Whether no connection may be opened before some time has passed.
    var isWaiting: Bool {
        switch opening {
        case .waiting: true
        case .none, .lookingUp: false
        }
    }

    /// How many connections take tries.
    var openCount: Int { connections.reduce(0) { $0 + ($1.isOpen ? 1 : 0) } }
}

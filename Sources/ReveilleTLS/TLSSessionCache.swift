internal import ReveilleRuntime

/// Sessions of a client context that may be resumed, by server name.
final class TLSSessionCache: Sendable {
    /// The most sessions kept for one name: two tickets come with each connection, and a few
    /// connections run side by side.
    static let maximumSessionsPerName = 8
    /// The most names; when one more comes, another one's sessions are dropped.
    static let maximumNames = 256

    private let sessions = Locked<[String: [ResumableSession]]>([:])

    /// Keeps a session, in place of the oldest if there are too many.
    func put(_ session: ResumableSession, for name: String) {
        sessions.withLock { sessions in
            if sessions[name] == nil, sessions.count >= Self.maximumNames,
                let victim = sessions.keys.first
            {
                sessions[victim] = nil
            }
            var known = sessions[name] ?? []
            if known.count >= Self.maximumSessionsPerName { known.removeFirst() }
            known.append(session)
            sessions[name] = known
        }
    }

    /// Gives the newest session for a name; one that is for one use is gone afterwards.
    func take(for name: String) -> ResumableSession? {
        sessions.withLock { sessions in
            guard let session = sessions[name]?.last else { return nil }
            if session.isForOneUse {
                sessions[name]?.removeLast()
                if sessions[name]?.isEmpty == true { sessions[name] = nil }
            }
            return session
        }
    }

    /// How many sessions are kept for a name.
    func count(for name: String) -> Int {
        sessions.withLock { $0[name]?.count ?? 0 }
    }
}

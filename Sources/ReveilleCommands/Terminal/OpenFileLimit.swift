internal import Glibc
internal import ReveilleNetwork

/// The kernel's bound on what a process may have open at once (RLIMIT_NOFILE).
///
/// Event loops and threads cannot be made without descriptors, so what a command needs is made sure of before it begins.
package enum OpenFileLimit {
    /// For a command that opens the store and ends.
    static let forCommand = 64
    /// For what serves connections: loops, threads and files of the store, and over a hundred connections.
    static let forServer = 256
    /// How far a bound that may be raised is raised: beyond this nothing here needs more.
    private static let ample = 65_536

    /// What a server keeps for itself: loops, the store's files, the connections to APNs, and what is opened now and then.
    private static let forOurselves = 96

    /// The bound of this process at present.
    static var present: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return forServer }
        return Int(clamping: limit.rlim_cur)
    }

    /// How many connections strangers may have, and how many more are told that there are too many, within a bound.
    ///
    /// Without this, whoever opens connections and says nothing takes the descriptors that APNs and the store need.
    package static func shares(of bound: Int) -> (connections: Int, refusals: Int) {
        let usual = HTTPServerLimits()
        let refusals = min(usual.maximumRefusals, bound / 16)
        return (min(usual.maximumConnections, max(1, bound - forOurselves - refusals)), refusals)
    }

    /// The bound to work with, for a present one that may be raised up to `hard`.
    package static func raised(soft: Int, hard: Int) -> Int {
        max(soft, min(hard, ample))
    }

    /// Raises the bound as far as is of use.
    ///
    /// - Throws: when it stays below what a command needs.
    static func secure(_ needed: Int, for command: [String]) throws(CommandFailure) {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        let soft = Int(clamping: limit.rlim_cur)
        var present = raised(soft: soft, hard: Int(clamping: limit.rlim_max))
        if present > soft {
            limit.rlim_cur = rlim_t(present)
            if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) != 0 { present = soft }
        }
        guard present < needed else { return }
        throw CommandFailure(
            "the limit of open files is \(present), and '\(command.joined(separator: " "))' needs \(needed); raise it with "
                + "'ulimit -n \(needed)', or LimitNOFILE=\(needed) in a systemd unit")
    }
}

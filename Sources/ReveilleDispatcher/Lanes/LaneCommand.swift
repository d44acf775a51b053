package import ReveilleCore
package import ReveilleStorage

/// A call of the store that a lane wants made; of each kind at most one runs at a time.
package enum LaneCommand: Sendable {
    case settle([EndedTry])
    case giveBack([GivenBackWake], GiveBackReason)
    case renew([WakeRow], token: Int64, until: Int64)
    case recordPause(PauseScope, ProviderReason?)
    case verify([GivenBackWake])
    case leaseProbe(PauseScope, Lease)
    /// A wake for a lane that tries in spite of its provider's wish for patience.
    case leaseEarliest(Lease)
    case catchUp(PauseScope)
    case releaseProbes(topic: String, limit: Int)
    case nextDue(excluding: Set<String>)
    case lease(limit: Int, Lease, excluding: Set<String>)

    /// The kinds, in the order in which a lane starts them.
    package enum Kind: Int, CaseIterable, Sendable {
        case settle
        case giveBack
        case renew
        case recordPause
        case verify
        case leaseProbe
        case catchUp
        case releaseProbes
        case nextDue
        case lease
    }

    /// What kind of call it is.
    package var kind: Kind {
        switch self {
        case .settle: .settle
        case .giveBack: .giveBack
        case .renew: .renew
        case .recordPause: .recordPause
        case .verify: .verify
        case .leaseProbe, .leaseEarliest: .leaseProbe
        case .catchUp: .catchUp
        case .releaseProbes: .releaseProbes
        case .nextDue: .nextDue
        case .lease: .lease
        }
    }
}

/// What became of a call.
package enum LaneReply: Sendable {
    case settled([SettledTry])
    case gaveBack
    case renewed(lost: [WakeRow])
    case pauseRecorded
    case verified(unsendable: [WakeRow])
    case probeLeased(LeasedWake?)
    case caughtUp(Int)
    case probesReleased(Int)
    case nextDue(Int64?)
    case leased([LeasedWake])
}

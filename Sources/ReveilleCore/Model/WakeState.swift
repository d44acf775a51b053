/// Where a wake stands.
///
/// The list is closed; numbers are what the store keeps.
package enum WakeState: Int64, CaseIterable, Sendable {
    /// Due at a time, in nobody's hands.
    case waiting = 0
    /// In the hands of one lane of one process until its lease runs out.
    case leased = 1
    /// Kept back: device unverified or quarantined, or lane misconfigured.
    case held = 2
    /// The provider took it.
    case accepted = 3
    /// The provider refused it for good.
    case failed = 4
    /// Its life ended before it was accepted.
    case expired = 5
    /// What it stood for was read, dismissed or fetched, or its device went away.
    case cancelled = 6
    /// Another wake stands for it.
    case merged = 7
    /// A successor with a newer token, grant or environment stands for it.
    case superseded = 8

    /// True while a lane may still send it.
    package var isUnsettled: Bool {
        switch self {
        case .waiting, .leased, .held: true
        case .accepted, .failed, .expired, .cancelled, .merged, .superseded: false
        }
    }

    /// The word of the state in answers, metrics and documents.
    package var word: String {
        switch self {
        case .waiting: "waiting"
        case .leased: "leased"
        case .held: "held"
        case .accepted: "accepted"
        case .failed: "failed"
        case .expired: "expired"
        case .cancelled: "cancelled"
        case .merged: "merged"
        case .superseded: "superseded"
        }
    }
}

/// Why a wake is held; what ends the reason releases the wake.
package enum HoldReason: Int64, CaseIterable, Sendable {
    case deviceUnverified = 1
    case deviceQuarantined = 2
    case laneMisconfigured = 3
}

/// Whether a device can be woken.
package enum DeviceState: Int64, CaseIterable, Sendable {
    /// Wakes are sent.
    case active = 0
    /// Its subscription has not proved itself; wakes are held.
    case pending = 1
    /// The provider called it gone without enough evidence; wakes are held, one probe at a time.
    case quarantined = 2
    /// The provider called it gone with evidence; it must register again.
    case needsRegistration = 3

    /// The word of the state in the API; quarantine is the operator's affair.
    package var word: String {
        switch self {
        case .active, .quarantined: "active"
        case .pending: "pending"
        case .needsRegistration: "needs_registration"
        }
    }
}

/// Whether a lane of this process can send, and what keeps it from it: the one thing to know first.
package enum LaneCondition: String, CaseIterable, Sendable {
    /// Sends, or would if there were something.
    case working
    /// Connects, or proves its credential.
    case opening
    /// Is connected, but the provider lets no request begin.
    case blocked
    /// Cannot reach the provider and waits before it tries again.
    case unreachable
    /// The provider asked for patience.
    case paced
    /// An operator must act: everything is held.
    case paused
    /// The store cannot record what was answered, so nothing is sent.
    case storeTrouble = "store_trouble"
    /// No credential is set up for it.
    case notConfigured = "not_configured"
    case stopping
}

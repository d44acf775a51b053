/// What the provider has said so far about the token of a try.
///
/// APNs drops a connection on which too many requests fail, sooner for bad tokens, and what else is in flight there goes down
/// with it (Apple, "Sending notification requests to APNs"). Tries of different standing therefore never share a connection.
package enum TokenStanding: Int, CaseIterable, Hashable, Sendable {
    /// It took a wake for the token, and nothing has spoken against the token since.
    case proven
    /// It has never taken one, or something speaks against the token: a probe of a quarantined device, too.
    case unproven
}

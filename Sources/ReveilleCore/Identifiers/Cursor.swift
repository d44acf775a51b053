/// The place in one profile's change log up to which a client has read.
///
/// Sealed by the store before it leaves; a client can neither read nor make one.
package struct Cursor: Hashable, Sendable {
    /// The profile whose log it counts.
    package let profile: ProfileRow
    /// The epoch in which the change was numbered; after a restore the same number has another one.
    package let epoch: Int64
    /// The number of the last change seen, 0 before the first.
    package let change: Int64

    /// Names a place in a log.
    package init(profile: ProfileRow, epoch: Int64, change: Int64) {
        self.profile = profile
        self.epoch = epoch
        self.change = change
    }
}

/// When one waiting wake absorbs another of the same device, so that a burst shows as one wake.
package enum MergeRule {
    /// More never-leased visible wakes than this never wait for one device: the next makes them one.
    package static let largestVisibleQueue = 5

    /// Whether wakes of a reason take part in merging, as new ones or as waiting ones.
    ///
    /// A verification carries a code of its own, and must neither be absorbed nor counted.
    package static func takesPart(_ reason: WakeReason) -> Bool {
        switch reason {
        case .changed, .dismissed: true
        case .verify: false
        }
    }

    /// What decides whether two never-leased wakes of one device are one.
    package struct Key: Hashable, Sendable {
        /// Alert or background.
        package let mode: WakeMode
        /// The collapse id of a visible wake; silent ones have none.
        package let collapse: CollapseID?

        /// Names what two wakes must share.
        package init(mode: WakeMode, collapse: CollapseID?) {
            self.mode = mode
            self.collapse = mode == .backgroundWake ? nil : collapse
        }
    }

    /// What to do with a new wake, given the never-leased wakes that wait for its device.
    package enum Decision: Hashable, Sendable {
        /// It waits beside them.
        case insert
        /// The waiting wake at `index` takes its delivery.
        case absorb(into: Int)
        /// All visible ones at `indices` and the new one become one wake with a collapse id of its own.
        case combine(indices: [Int])
    }

    /// Decides for a new wake with `key`.
    ///
    /// - Parameters:
    ///   - waiting: the keys of the never-leased wakes of the device that take part, oldest first.
    ///   - combined: the index of a wake that already stands for six, if one waits.
    package static func decide(_ key: Key, waiting: [Key], combined: Int?) -> Decision {
        if key.mode == .privateAlert, let combined { return .absorb(into: combined) }
        if let same = waiting.firstIndex(of: key) { return .absorb(into: same) }
        let visible = waiting.indices.filter { waiting[$0].mode == .privateAlert }
        if key.mode == .privateAlert, visible.count >= largestVisibleQueue {
            return .combine(indices: visible)
        }
        return .insert
    }
}

internal import ReveilleRuntime
internal import Synchronization

/// The master keys of one open store, which follow a rotation while the store is open; safe on any thread.
///
/// Whoever seals or opens looks at ``revision`` first and takes ``ring`` anew when it changed.
package final class LiveKeys: Sendable {
    private let present: Locked<KeyRing>
    private let replacements = Atomic<Int>(0)

    /// Begins with the keys that the store was opened with.
    package init(_ ring: KeyRing) {
        present = Locked(ring)
    }

    /// The keys now.
    package var ring: KeyRing { present.withLock { $0 } }

    /// How often the keys were replaced.
    package var revision: Int { replacements.load(ordering: .acquiring) }

    /// Puts the keys of after a rotation in place; numbers of generations keep their meaning.
    package func replace(with ring: KeyRing) {
        present.withLock { $0 = ring }
        replacements.wrappingAdd(1, ordering: .acquiringAndReleasing)
    }
}

/// What a JSON text may cost.
package struct JSONLimits: Sendable {
    /// The longest text in bytes.
    package var maximumBytes: Int
    /// How deep arrays and objects may nest.
    ///
    /// The reader recurses, so this also bounds its stack.
    package var maximumDepth: Int
    /// How many values there may be in all, containers included.
    package var maximumElements: Int

    /// The depth that no limit may exceed: about 200 bytes of stack a level, on threads with 8 MiB.
    package static let deepestDepth = 512

    /// Limits of one's own; the depth is held below ``deepestDepth``.
    package init(
        maximumBytes: Int = 1024 * 1024, maximumDepth: Int = 32, maximumElements: Int = 100_000
    ) {
        self.maximumBytes = maximumBytes
        self.maximumDepth = min(maximumDepth, Self.deepestDepth)
        self.maximumElements = maximumElements
    }

    /// One mebibyte, 32 levels, 100 000 values: above every body that any of our protocols allows.
    package static let `default` = JSONLimits()
}

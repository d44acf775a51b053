package import ReveilleCore
package import ReveilleDispatcher
internal import ReveilleInbox

/// Hands an admin's word to the dispatcher, and its lanes' health to an admin.
package struct LaneSwitch: LaneControl {
    private let dispatcher: Dispatcher

    /// Speaks with `dispatcher`.
    package init(_ dispatcher: Dispatcher) { self.dispatcher = dispatcher }

    package func settingsChanged() async { dispatcher.settingsChanged() }

    package func conditions() async -> [LaneKey: LaneCondition] {
        let health = await dispatcher.health().map { ($0.key, $0.state) }
        return Dictionary(health, uniquingKeysWith: { first, _ in first })
    }
}

/// One of the closed set of payload layouts; an app chooses one, and no caller chooses what is inside.
package enum Shape: String, CaseIterable, Sendable {
    /// The layout of new apps.
    case reveille
    /// The layout of the relay document.
    case silo
    /// The layout that apps in the field read.
    case siloShipped = "silo_shipped"
    /// The content-free layout of mail apps.
    case mail

    /// How a Mac is woken for a visible notification: mail always in the background, since the extension that would enrich
    /// the alert is unreliable there; for other shapes the operator chooses, and alerts are the default.
    package func macWakeMode(chosen: WakeMode?) -> WakeMode {
        switch self {
        case .mail: .backgroundWake
        case .reveille, .silo, .siloShipped: chosen ?? .privateAlert
        }
    }
}

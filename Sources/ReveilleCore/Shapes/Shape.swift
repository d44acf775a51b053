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

    /// How a Mac is woken unless its app says otherwise; extensions are unreliable there for mail.
    package var preferredMacWakeMode: WakeMode {
        switch self {
        case .mail: .backgroundWake
        case .reveille, .silo, .siloShipped: .privateAlert
        }
    }
}

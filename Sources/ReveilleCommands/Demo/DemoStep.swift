/// The steps of the demo; a failure names the one that failed.
package enum DemoStep: String, CaseIterable, Sendable {
    case start
    case register
    case post
    case stored
    case apple
    case payload
    case fetch
    case screen
    case privacy

    /// The step's heading.
    var heading: String {
        switch self {
        case .start: "An emulated Apple and a home server start on this machine"
        case .register: "An iPhone and a Mac of one profile register"
        case .post: "A producer posts a notification through the HTTP API"
        case .stored: "What the home server keeps"
        case .apple: "What Apple saw: every header and byte"
        case .payload: "The payload is what its shape says, with this device's own ids"
        case .fetch: "The devices wake up and fetch the content from the home server"
        case .screen: "What the devices show"
        case .privacy: "Nothing of the content was among Apple's bytes"
        }
    }
}

/// A step that did not come out as it should.
package struct DemoFailure: Error, Sendable {
    package let step: DemoStep
    /// What was expected and what was found.
    package let reason: String
}

/// What a test does to a demo while it runs.
package struct DemoSabotage: Sendable {
    /// Stops the emulator before this step.
    package var stopEmulatorBefore: DemoStep?
    /// Changes the bodies on the wire between the home server and the emulated Apple.
    package var wire: (@Sendable (_ body: inout [UInt8]) -> Void)?
    /// Takes the place of the notification's title: a text that Apple sees must not pass for a private one.
    package var title: String?

    /// No sabotage.
    package static let none = DemoSabotage()

    /// Plans sabotage.
    package init(
        stopEmulatorBefore: DemoStep? = nil, title: String? = nil,
        wire: (@Sendable (_ body: inout [UInt8]) -> Void)? = nil
    ) {
        self.stopEmulatorBefore = stopEmulatorBefore
        self.wire = wire
        self.title = title
    }
}

import ReveilleCore
import ReveilleTelemetry

/// A lane in metrics and logs: its provider, and the environment where there are two; never a credential, and never an origin
/// that a client chose.
enum LaneLabel: String, MetricLabel {
    case apnsProduction = "apns-production"
    case apnsSandbox = "apns-sandbox"
    case fcm
    /// All push services of browsers together.
    case webPush = "webpush"
    /// All distributors together.
    case unifiedPush = "unifiedpush"

    /// The label of a lane.
    init(_ key: LaneKey) {
        switch key.destination {
        case .apns(.production): self = .apnsProduction
        case .apns(.sandbox): self = .apnsSandbox
        case .fcm: self = .fcm
        case .webPush: self = .webPush
        case .unifiedPush: self = .unifiedPush
        }
    }
}

/// An outcome in metrics.
enum OutcomeLabel: String, MetricLabel {
    case accepted
    case retry
    case unknown
    case renewCredential = "renew_credential"
    case deviceGone = "device_gone"
    case wrongEnvironment = "wrong_environment"
    case misconfigured
    case refused

    init(_ outcome: Outcome) {
        switch outcome {
        case .accepted: self = .accepted
        case .retry: self = .retry
        case .unknown: self = .unknown
        case .renewCredential: self = .renewCredential
        case .deviceGone: self = .deviceGone
        case .wrongEnvironment: self = .wrongEnvironment
        case .misconfigured: self = .misconfigured
        case .refused: self = .refused
        }
    }
}

/// What a lane did to a device, in metrics.
enum DeviceChangeLabel: String, MetricLabel {
    case disabled
    case quarantined
    case environmentMoved = "environment_moved"
}

/// Where wakes stand in a lane, in metrics.
enum StageLabel: String, MetricLabel {
    case unsent
    case inFlight = "in_flight"
    case unsettled
    case returning
}

/// A call of the store, in metrics and logs.
enum StoreCallLabel: String, MetricLabel {
    case settle
    case giveBack = "give_back"
    case renew
    case recordPause = "record_pause"
    case verify
    case leaseProbe = "lease_probe"
    case catchUp = "catch_up"
    case releaseProbes = "release_probes"
    case nextDue = "next_due"
    case lease
    case sweep
    case replan
    case lanes

    init(_ kind: LaneCommand.Kind) {
        switch kind {
        case .settle: self = .settle
        case .giveBack: self = .giveBack
        case .renew: self = .renew
        case .recordPause: self = .recordPause
        case .verify: self = .verify
        case .leaseProbe: self = .leaseProbe
        case .catchUp: self = .catchUp
        case .releaseProbes: self = .releaseProbes
        case .nextDue: self = .nextDue
        case .lease: self = .lease
        }
    }
}

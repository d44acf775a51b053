internal import ReveilleCore
internal import ReveilleStorage

// The numbers under which closed lists of the domain stand in the database. A number that was released never changes its
// meaning.

/// How the last try of a wake ended.
enum StoredOutcome: Int64, CaseIterable {
    /// There was none, or it was not sent.
    case none = 0
    case accepted = 1
    case retry = 2
    case unknown = 3
    case renewCredential = 4
    case deviceGone = 5
    case wrongEnvironment = 6
    case misconfigured = 7
    case refused = 8
    /// The lease ran out or was voided: it may have been sent.
    case leaseEnded = 9

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

    /// True when the provider may have taken the wake without anybody knowing.
    var leavesOpenWhetherSent: Bool {
        switch self {
        case .unknown, .leaseEnded: true
        case .none, .accepted, .retry, .renewCredential, .deviceGone, .wrongEnvironment, .misconfigured, .refused: false
        }
    }

    /// The word for operators.
    var word: String {
        switch self {
        case .none: "none"
        case .accepted: "accepted"
        case .retry: "retry"
        case .unknown: "unknown"
        case .renewCredential: "renew_credential"
        case .deviceGone: "device_gone"
        case .wrongEnvironment: "wrong_environment"
        case .misconfigured: "misconfigured"
        case .refused: "refused"
        case .leaseEnded: "lease_ended"
        }
    }
}

extension Outcome {
    /// The provider's word, where the outcome carries one.
    var providerReason: ProviderReason? {
        switch self {
        case .accepted: nil
        case .retry(let reason, _), .unknown(let reason), .renewCredential(let reason), .deviceGone(let reason, _),
            .wrongEnvironment(let reason), .misconfigured(let reason, _), .refused(let reason):
            reason
        }
    }
}

/// A value that stands in the database as a number.
protocol StoredAsNumber: CaseIterable, Equatable {
    var storedNumber: Int64 { get }
}

extension StoredAsNumber {
    /// The value of a stored number; an unknown one means a damaged file.
    static func stored(_ number: Int64) throws -> Self {
        for value in allCases where value.storedNumber == number { return value }
        throw StoreError(.corrupt)
    }
}

extension WakeMode: StoredAsNumber {
    var storedNumber: Int64 {
        switch self {
        case .privateAlert: 0
        case .backgroundWake: 1
        }
    }
}

extension WakeReason: StoredAsNumber {
    var storedNumber: Int64 {
        switch self {
        case .changed: 0
        case .dismissed: 1
        case .verify: 2
        }
    }
}

extension Shape: StoredAsNumber {
    var storedNumber: Int64 {
        switch self {
        case .reveille: 0
        case .silo: 1
        case .siloShipped: 2
        case .mail: 3
        }
    }
}

extension PushMode: StoredAsNumber {
    var storedNumber: Int64 {
        switch self {
        case .off: 0
        case .inAppOnly: 1
        case .privatePush: 2
        }
    }
}

extension DeviceOS: StoredAsNumber {
    var storedNumber: Int64 {
        switch self {
        case .iOS: 0
        case .iPadOS: 1
        case .macOS: 2
        case .tvOS: 3
        case .watchOS: 4
        case .visionOS: 5
        case .android: 6
        case .linux: 7
        case .browser: 8
        }
    }
}

extension WakeState: StoredAsNumber {
    var storedNumber: Int64 { rawValue }
}

extension HoldReason: StoredAsNumber {
    var storedNumber: Int64 { rawValue }
}

extension DeviceState: StoredAsNumber {
    var storedNumber: Int64 { rawValue }
}

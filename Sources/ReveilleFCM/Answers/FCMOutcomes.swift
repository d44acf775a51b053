package import ReveilleCore

/// The one table of what FCM answers and what it means (Firebase, "FCM error codes", "Best practices when sending FCM messages at
/// scale").
///
/// FCM's own error code decides; then the general status; then the status of HTTP. An answer that is not FCM's never says
/// anything about a device.
package enum FCMOutcomes {
    /// What an answer means, before times are filled in.
    package enum Meaning: Sendable, Hashable {
        case accepted
        /// A fault of this message or of its builder.
        case refused
        case deviceGone
        case misconfigured
        /// The operator's affair as far as this device goes, and perhaps others: the lane pauses when several hear the same.
        case misconfiguredDevice
        /// By the schedule, not before ten seconds.
        case later
        /// This device was woken too often.
        case paceDevice
        /// The project sends too much.
        case paceLane
        /// A new access token, once.
        case renewToken
    }

    /// One row.
    package struct Row: Sendable, Hashable {
        /// What is kept and shown of the answer.
        package let reason: FCMReason
        package let meaning: Meaning

        init(_ reason: FCMReason, _ meaning: Meaning) {
            self.reason = reason
            self.meaning = meaning
        }
    }

    /// Google asks for at least so long before the first repetition.
    package static let floorSeconds: Int64 = 10
    /// What a 429 without `Retry-After` stands for.
    package static let paceSeconds: Int64 = 60
    /// FCM's own error codes; ``FCMReason/invalidArgument`` and ``FCMReason/quotaExceeded`` depend on what is blamed.
    package static let byErrorCode: [FCMReason: Meaning] = [
        .unspecifiedError: .later,
        .unregistered: .deviceGone,
        // A token of another project: gone for this one. When the project is wrong it is said of every token, none of which is
        // accepted then, so that nothing is disabled by it.
        .senderIDMismatch: .deviceGone,
        .unavailable: .later,
        .internalError: .later,
        // Said of tokens of apps for Apple's systems and browsers only: one that came among those for Android stops nobody else.
        .thirdPartyAuthError: .misconfiguredDevice,
    ]

    /// Answers of Google's that have no error code of FCM's.
    package static let byStatus: [FCMReason: Meaning] = [
        .unauthenticated: .renewToken,
        .permissionDenied: .misconfigured,
        .notFound: .misconfigured,
        .resourceExhausted: .paceLane,
        .unavailable: .later,
        .internalError: .later,
        .invalidArgument: .refused,
    ]

    /// The row of an answer.
    package static func row(status: Int, body: FCMAnswerBody) -> Row {
        if status == 200 { return body.hasName ? Row(.unknown, .accepted) : Row(.notFCM, .misconfigured) }
        switch body.errorCode {
        case .invalidArgument?:
            return body.blamesToken ? Row(.invalidToken, .deviceGone) : Row(.invalidArgument, .refused)
        case .quotaExceeded?:
            return body.quota == .device ? Row(.deviceQuota, .paceDevice) : Row(.quotaExceeded, .paceLane)
        case .unknown?: return unknown(status, body)
        case let code?: return Row(code, byErrorCode[code] ?? .refused)
        case nil: return withoutCode(status, body)
        }
    }

    /// A code that is new says less than the status beside it, but that FCM itself speaks, and of this message.
    private static func unknown(_ status: Int, _ body: FCMAnswerBody) -> Row {
        switch status {
        case 429, 500...599: withoutCode(status, body)
        case 401, 403, 404: Row(.unknown, .misconfiguredDevice)
        default: Row(.unknown, .refused)
        }
    }

    private static func withoutCode(_ status: Int, _ body: FCMAnswerBody) -> Row {
        if let general = body.status, let meaning = byStatus[general] { return Row(general, meaning) }
        return fallback(status, body)
    }

    private static func fallback(_ status: Int, _ body: FCMAnswerBody) -> Row {
        switch status {
        case 401: Row(.unauthenticated, .renewToken)
        case 429: Row(.resourceExhausted, .paceLane)
        case 500...599: Row(.unavailable, .later)
        case 403 where body.isReadable: Row(.permissionDenied, .misconfigured)
        case 404 where body.isReadable: Row(.notFound, .misconfigured)
        // Only FCM itself may say that a message is at fault.
        case 400...499 where body.isReadable: Row(.unknown, .refused)
        default: Row(.notFCM, .misconfigured)
        }
    }

    /// What an answer means for the wake, the device and the lane.
    package static func outcome(of row: Row, retryAfterSeconds: Int64?) -> Outcome {
        let word = word(row.reason)
        let asked = max(retryAfterSeconds ?? 0, 0)
        switch row.meaning {
        case .accepted: return .accepted
        case .refused: return .refused(reason: word)
        case .deviceGone: return .deviceGone(reason: word, sinceMilliseconds: nil)
        case .misconfigured: return .misconfigured(reason: word, scope: .lane)
        case .misconfiguredDevice: return .misconfigured(reason: word, scope: .subscription)
        case .later: return .retry(reason: word, after: .schedule(seconds: max(asked, floorSeconds)))
        case .paceDevice:
            let seconds = min(paced(asked), RetrySchedule.longestDevicePaceSeconds)
            return .retry(reason: word, after: .devicePaced(seconds: seconds))
        case .paceLane:
            let seconds = min(paced(asked), RetrySchedule.longestLanePaceSeconds)
            return .retry(reason: word, after: .lanePaced(seconds: seconds))
        case .renewToken: return .renewCredential(reason: word)
        }
    }

    private static let words = Dictionary(
        uniqueKeysWithValues: FCMReason.allCases.map { ($0, ProviderReason(stored: $0.rawValue)) })

    /// The stored form of a reason, made once.
    package static func word(_ reason: FCMReason) -> ProviderReason {
        words[reason] ?? ProviderReason("UnknownReason")
    }

    /// The seconds of a 429 that asks for some, or for none.
    private static func paced(_ asked: Int64) -> Int64 { asked > 0 ? max(asked, floorSeconds) : paceSeconds }
}

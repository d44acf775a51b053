package import ReveilleCore

/// The one table of what APNs answers and what it means (Apple, "Handling notification responses from APNs").
///
/// The reason decides; only an answer without a known reason is judged by its status.
package enum APNsOutcomes {
    /// What an answer means, before times are filled in.
    package enum Meaning: Sendable, Hashable {
        case accepted
        /// A fault of this request or of its builder.
        case refused
        /// The device is gone; the answer may say since when.
        case deviceGone
        case wrongEnvironment
        case misconfiguredTopic
        case misconfiguredLane
        /// The connection is used up: once at once on a new one.
        case again
        /// By the schedule.
        case later
        /// This device was woken too often.
        case paceDevice
        /// Provider tokens were renewed too often: the present one stays, and the lane waits.
        case paceLane
        /// A new provider token, once.
        case renewToken
    }

    /// One row.
    package struct Row: Sendable {
        /// The status that comes with the reason; 0 when there is no reason and no status.
        package let status: Int
        package let reason: APNsReason
        package let meaning: Meaning
        /// Whether the connection that gave the answer takes no more requests.
        ///
        /// Also after a word about the topic: a bundle id that is added to the account is known to new connections only (Apple,
        /// "Sending notification requests to APNs").
        package let retiresConnection: Bool

        /// Whether APNs no longer takes the key: then no connection that was made with it is used any more (Apple,
        /// "Establishing a token-based connection to APNs", on revoked keys).
        package var refusesCredential: Bool { meaning == .misconfiguredLane && status == 403 }

        init(_ status: Int, _ reason: APNsReason, _ meaning: Meaning, retiresConnection: Bool = false) {
            self.status = status
            self.reason = reason
            self.meaning = meaning
            self.retiresConnection = retiresConnection
        }
    }

    /// A throttled device is left alone for at least a minute.
    package static let devicePaceSeconds: Int64 = 60
    /// Apple's shortest interval between two provider tokens.
    package static let lanePaceSeconds: Int64 = 20 * 60

    /// Every reason that APNs is known to give.
    package static let rows: [Row] = [
        Row(400, .badCollapseID, .refused),
        Row(400, .badDeviceToken, .wrongEnvironment),
        Row(400, .badExpirationDate, .refused),
        Row(400, .badMessageID, .refused),
        Row(400, .badPriority, .refused),
        Row(400, .badTopic, .misconfiguredTopic, retiresConnection: true),
        Row(400, .deviceTokenNotForTopic, .deviceGone),
        Row(400, .duplicateHeaders, .refused),
        Row(400, .idleTimeout, .again, retiresConnection: true),
        Row(400, .invalidPushType, .refused),
        Row(400, .missingDeviceToken, .refused),
        Row(400, .missingTopic, .misconfiguredTopic, retiresConnection: true),
        Row(400, .payloadEmpty, .refused),
        Row(400, .topicDisallowed, .misconfiguredTopic, retiresConnection: true),
        Row(403, .badCertificate, .misconfiguredLane),
        Row(403, .badCertificateEnvironment, .misconfiguredLane),
        Row(403, .expiredProviderToken, .renewToken, retiresConnection: true),
        Row(403, .forbidden, .misconfiguredLane),
        Row(403, .invalidProviderToken, .misconfiguredLane),
        Row(403, .missingProviderToken, .refused),
        Row(403, .unrelatedKeyIDInToken, .again, retiresConnection: true),
        Row(403, .badEnvironmentKeyIDInToken, .misconfiguredLane),
        Row(403, .badEnvironmentKeyInToken, .misconfiguredLane),
        Row(404, .badPath, .refused),
        Row(405, .methodNotAllowed, .refused),
        Row(410, .expiredToken, .deviceGone),
        Row(410, .unregistered, .deviceGone),
        Row(413, .payloadTooLarge, .refused),
        Row(429, .tooManyProviderTokenUpdates, .paceLane),
        Row(429, .tooManyRequests, .paceDevice),
        Row(500, .internalServerError, .later),
        Row(503, .serviceUnavailable, .later),
        Row(503, .shutdown, .again, retiresConnection: true),
        // Met in the field, not on Apple's page.
        Row(400, .invalidToken, .wrongEnvironment),
        Row(403, .invalidSigningKey, .misconfiguredLane),
    ]

    private static let byReason = Dictionary(uniqueKeysWithValues: rows.map { ($0.reason, $0) })
    private static let words = Dictionary(
        uniqueKeysWithValues: APNsReason.allCases.map { ($0, ProviderReason(stored: $0.rawValue)) })

    /// The row of an answer: that of its reason, or one by its status when the reason says nothing.
    package static func row(status: Int, reason: APNsReason?) -> Row {
        if status == 200 { return accepted }
        if let reason, let row = byReason[reason] { return row }
        return fallback(status: status, reason: reason ?? .unreadable)
    }

    /// An accepted request; APNs answers nothing else with it.
    package static let accepted = Row(200, .unreadable, .accepted)

    private static func fallback(status: Int, reason: APNsReason) -> Row {
        switch status {
        case 410: Row(status, reason, .deviceGone)
        case 403: Row(status, reason, .misconfiguredLane)
        // A bare 429 names no device, but Apple documents no other limit that is not about the provider token.
        case 429: Row(status, reason, .paceDevice)
        case 500...599: Row(status, reason, .later)
        case 400...499: Row(status, reason, .refused)
        // A redirect or a success without meaning comes from something else that answers under this name.
        default: Row(status, .notAPNs, .misconfiguredLane)
        }
    }

    /// What an answer means for the wake, the device and the lane.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - reason: The reason of its body; nil when the body could not be read.
    ///   - timestamp: Milliseconds since 1970 from a 410's body.
    ///   - retryAfterSeconds: What `Retry-After` asks for, if it came.
    package static func outcome(
        status: Int, reason: APNsReason?, timestamp: Int64? = nil, retryAfterSeconds: Int64? = nil
    ) -> Outcome {
        if status == 200 { return .accepted }
        let row = row(status: status, reason: reason)
        return outcome(of: row, timestamp: timestamp, retryAfterSeconds: retryAfterSeconds)
    }

    /// Fills a row's meaning with times.
    package static func outcome(of row: Row, timestamp: Int64?, retryAfterSeconds: Int64?) -> Outcome {
        let word = word(row.reason)
        let asked = max(retryAfterSeconds ?? 0, 0)
        switch row.meaning {
        case .accepted: return .accepted
        case .refused: return .refused(reason: word)
        case .deviceGone: return .deviceGone(reason: word, sinceMilliseconds: timestamp)
        case .wrongEnvironment: return .wrongEnvironment(reason: word)
        case .misconfiguredTopic: return .misconfigured(reason: word, scope: .topic)
        case .misconfiguredLane: return .misconfigured(reason: word, scope: .lane)
        // A connection that goes is replaced at once, unless the whole of APNs asks for patience.
        case .again: return .retry(reason: word, after: asked > 0 ? .schedule(seconds: asked) : .atOnceThenSchedule)
        case .later: return .retry(reason: word, after: .schedule(seconds: asked))
        case .paceDevice:
            let seconds = min(max(asked, devicePaceSeconds), RetrySchedule.longestDevicePaceSeconds)
            return .retry(reason: word, after: .devicePaced(seconds: seconds))
        case .paceLane:
            let seconds = min(max(asked, lanePaceSeconds), RetrySchedule.longestLanePaceSeconds)
            return .retry(reason: word, after: .lanePaced(seconds: seconds))
        case .renewToken: return .renewCredential(reason: word)
        }
    }

    /// The stored form of a reason, made once.
    package static func word(_ reason: APNsReason) -> ProviderReason {
        words[reason] ?? ProviderReason("UnknownReason")
    }
}

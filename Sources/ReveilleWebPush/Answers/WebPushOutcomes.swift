package import ReveilleCore

/// The one table of what push services answer and what it means: those of browsers (RFC 8030, RFC 8292, and what Mozilla, Apple,
/// Microsoft and Google publish) and the push servers of UnifiedPush, which speak the same protocol.
///
/// A known word in the body decides, then the status. Nothing but a plain 404 or 410 ever says that a subscription is gone; an answer
/// about one subscription holds that one only.
package enum WebPushOutcomes {
    /// What an answer means, before times are filled in.
    package enum Meaning: Sendable, Hashable {
        case accepted
        /// A fault of this message or of its builder.
        case refused
        /// Once more without padding; refused when there was none.
        case tooLarge
        case deviceGone
        /// This subscription waits for the operator, or for its owner.
        case misconfigured
        /// Once at once on a new connection.
        case again
        /// By the schedule.
        case later
        /// This subscription was woken too often.
        case paceDevice
        /// Nobody listens there at present.
        case paceLong
    }

    /// One row.
    package struct Row: Sendable, Hashable {
        /// What is kept and shown of the answer.
        package let reason: WebPushReason
        package let meaning: Meaning

        init(_ reason: WebPushReason, _ meaning: Meaning) {
            self.reason = reason
            self.meaning = meaning
        }
    }

    /// What an answer holds beside its status.
    package struct Answer: Sendable {
        package let status: Int
        package let body: WebPushAnswerBody
        /// Microsoft's `X-WNS-STATUS`, if it came.
        package let notificationStatus: WebPushReason?

        /// Describes an answer.
        package init(status: Int, body: WebPushAnswerBody, notificationStatus: WebPushReason? = nil) {
            self.status = status
            self.body = body
            self.notificationStatus = notificationStatus
        }
    }

    /// A throttled subscription is left alone for at least a minute.
    package static let paceSeconds: Int64 = 60
    /// A distributor without subscriber is asked again after this, unless it says otherwise.
    package static let longPaceSeconds: Int64 = 15 * 60

    /// Apple's words.
    package static let appleRows: [WebPushReason: Meaning] = [
        .badTTL: .refused, .badUrgency: .refused, .badWebPushRequest: .refused, .badWebPushTopic: .refused,
        .keyMismatch: .misconfigured, .badAuthorization: .misconfigured, .badToken: .misconfigured,
        .badPublicKey: .misconfigured, .badPath: .misconfigured, .methodNotAllowed: .misconfigured,
        .payloadTooLarge: .tooLarge, .tooManyRequests: .paceDevice, .idleTimeout: .again, .shutdown: .again,
        .internalServerError: .later, .serviceUnavailable: .later,
    ]

    /// Mozilla's numbers.
    package static let mozillaRows: [WebPushReason: Meaning] = [
        .missingCryptoKeys: .refused, .badEncryption: .refused, .missingTTL: .refused, .unreadableTTL: .refused,
        .badTopic: .refused, .negativeTTL: .refused, .dataTooLarge: .tooLarge,
        .unknownEndpoint: .deviceGone, .unknownUser: .deviceGone, .userDeleted: .deviceGone,
        .subscriptionGone: .deviceGone, .wrongRouter: .deviceGone,
        .vapidFault: .misconfigured,
        .notStored: .later, .repeatAtOnce: .again, .bridgeMisconfigured: .later, .bridgeAuthentication: .later,
        .bridgeUnreachable: .later, .bridgeSilent: .later, .mozillaUnknown: .later,
    ]

    /// The row of an answer.
    package static func row(_ answer: Answer) -> Row {
        if (200...299).contains(answer.status) { return success(answer) }
        if let row = word(answer) { return row }
        let row = byStatus(answer.status)
        // What a page for people says of a subscription or a message is no word of a push service.
        switch row.meaning {
        case .deviceGone, .refused, .misconfigured:
            return answer.body.isWebPage ? Row(.webPage, .misconfigured) : row
        case .accepted, .tooLarge, .again, .later, .paceDevice, .paceLong: return row
        }
    }

    private static func success(_ answer: Answer) -> Row {
        if answer.body.isWebPage { return Row(.webPage, .misconfigured) }
        switch answer.notificationStatus {
        case .dropped?: return Row(.dropped, .later)
        case .channelThrottled?: return Row(.channelThrottled, .paceDevice)
        default: return accepted
        }
    }

    /// The row of a known word; one that says "gone" counts only with a status that says so too, or with Mozilla's 400.
    private static func word(_ answer: Answer) -> Row? {
        guard let reason = answer.body.reason, let meaning = appleRows[reason] ?? mozillaRows[reason] else {
            return nil
        }
        switch (meaning, answer.status) {
        case (.deviceGone, 404), (.deviceGone, 410), (.deviceGone, 400): return Row(reason, meaning)
        case (.deviceGone, _): return nil
        // Whatever else is said beside 401 and 403: they are about who we are.
        case (_, 401), (_, 403): return Row(reason, .misconfigured)
        default: return Row(reason, meaning)
        }
    }

    /// What is accepted has no reason that anybody asks for.
    package static let accepted = Row(.otherStatus, .accepted)

    private static func byStatus(_ status: Int) -> Row {
        switch status {
        case 300...399: Row(.redirect, .misconfigured)
        case 400: Row(.malformed, .misconfigured)
        case 401: Row(.unauthorized, .misconfigured)
        case 403: Row(.forbidden, .misconfigured)
        case 404: Row(.notFound, .deviceGone)
        case 405: Row(.methodNotAllowed, .misconfigured)
        case 406, 429: Row(.throttled, .paceDevice)
        case 408, 425: Row(.serverTrouble, .later)
        case 410: Row(.gone, .deviceGone)
        case 413: Row(.tooLarge, .tooLarge)
        case 400...499: Row(.otherStatus, .refused)
        case 507: Row(.nobodySubscribed, .paceLong)
        case 500...599: Row(.serverTrouble, .later)
        default: Row(.otherStatus, .misconfigured)
        }
    }

    /// What an answer means for the wake, the device and the lane.
    ///
    /// - Parameters:
    ///   - retryAfterSeconds: What `Retry-After` asks for, if it came.
    ///   - wasPadded: Whether the message can be made shorter.
    package static func outcome(of row: Row, retryAfterSeconds: Int64?, wasPadded: Bool) -> Outcome {
        let word = word(row.reason)
        let asked = max(retryAfterSeconds ?? 0, 0)
        switch row.meaning {
        case .accepted: return .accepted
        case .refused: return .refused(reason: word)
        case .tooLarge:
            return wasPadded ? .retry(reason: word, after: .atOnceThenSchedule) : .refused(reason: word)
        case .deviceGone: return .deviceGone(reason: word, sinceMilliseconds: nil)
        case .misconfigured: return .misconfigured(reason: word, scope: .subscription)
        case .again: return .retry(reason: word, after: asked > 0 ? .schedule(seconds: asked) : .atOnceThenSchedule)
        case .later: return .retry(reason: word, after: .schedule(seconds: asked))
        case .paceDevice: return .retry(reason: word, after: .devicePaced(seconds: paced(asked, paceSeconds)))
        case .paceLong: return .retry(reason: word, after: .devicePaced(seconds: paced(asked, longPaceSeconds)))
        }
    }

    private static func paced(_ asked: Int64, _ least: Int64) -> Int64 {
        min(max(asked, least), RetrySchedule.longestDevicePaceSeconds)
    }

    private static let words = Dictionary(
        uniqueKeysWithValues: WebPushReason.allCases.map { ($0, ProviderReason(stored: $0.rawValue)) })

    /// The stored form of a reason, made once.
    package static func word(_ reason: WebPushReason) -> ProviderReason {
        words[reason] ?? ProviderReason("OtherStatus")
    }
}

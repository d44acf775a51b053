package import ReveilleCore

/// What each party learns, written from the shapes in code: the tables of `docs/privacy.md`.
package enum PrivacyTable {
    /// The header section of a request to APNs; a push with any other field, or without one of these, fails the audit.
    package static let headers: [(name: String, meaning: String)] = [
        (":method", "always `POST`"), (":scheme", "always `https`"), (":authority", "Apple's own host name"),
        (":path", "the device token, which Apple made"), ("apns-topic", "the app's bundle id"),
        ("apns-push-type", "`alert` or `background`"), ("apns-priority", "`10` or `5`, by the push type"),
        ("apns-expiration", "when the wake becomes worthless: its life, never the content's length"),
        ("authorization", "a token signed with your APNs key: team, key id, and when it was made"),
        ("apns-id", "a UUID: one AES block, new for each wake"),
        (
            collapseID,
            "of an `alert` only: 26 characters of a keyed hash, equal for wakes of one series on one device"
        ),
    ]

    private static let collapseID = "apns-collapse-id"

    /// The names of the fields that every request for a wake of this mode has, no more and no fewer.
    package static func names(of mode: WakeMode) -> Set<String> {
        let all = Set(headers.map(\.name))
        return switch mode {
        case .privateAlert: all
        case .backgroundWake: all.subtracting([collapseID])
        }
    }

    /// The two tables, as they must stand in the document.
    package static var markdown: String {
        var lines = ["| header | what it tells Apple |", "|---|---|"]
        lines += headers.map { "| `\($0.name)` | \($0.meaning) |" }
        lines += ["", "| shape | wake | the whole payload |", "|---|---|---|"]
        for shape in Shape.allCases {
            for mode in WakeMode.allCases {
                for reason in WakeReason.allCases where reason != .verify || shape == .reveille {
                    let payload = String(decoding: WakeForm.octets(fields(shape, mode, reason)), as: UTF8.self)
                    lines.append("| `\(shape.rawValue)` | \(mode.rawValue), \(reason.rawValue) | `\(payload)` |")
                }
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func fields(_ shape: Shape, _ mode: WakeMode, _ reason: WakeReason) -> PayloadFields {
        PayloadFields(
            shape: shape, mode: mode, reason: reason, serverDeviceID: PayloadID("DEVICE") ?? PayloadID(),
            deliveryID: reason == .verify ? PayloadID() : PayloadID("DELIVERY") ?? PayloadID(),
            verificationCode: reason == .verify ? PayloadID("CODE") : nil)
    }
}

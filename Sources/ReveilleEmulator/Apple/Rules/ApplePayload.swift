internal import ReveilleJSON

/// What the emulated system reads in a payload's `aps` ("Generating a remote notification").
package struct ApplePayload: Sendable, Equatable {
    /// Whether an alert with words, or with keys for words, would be drawn.
    package let showsAlert: Bool
    /// Whether a sound would be played.
    package let hasSound: Bool
    /// The number on the app's icon; 0 removes it.
    package let badge: Int?
    /// Whether the app is woken in the background.
    package let isContentAvailable: Bool
    /// Whether the app's service extension may change the alert before it is drawn.
    package let isMutable: Bool

    private static let limits = JSONLimits(maximumBytes: 8 * 1024)
    private static let words: Set = [
        "title", "subtitle", "body", "title-loc-key", "subtitle-loc-key", "loc-key",
    ]

    /// Reads a payload of `pushType`.
    ///
    /// Apple names no reason for a body that is not JSON; the emulator answers as for an empty one.
    init(_ body: [UInt8], pushType: ApplePushType?) throws(AppleRefusal) {
        guard !body.isEmpty else { throw AppleRefusal(.payloadEmpty, .payloadIsEmpty) }
        let limit = pushType?.maximumPayloadBytes ?? AppleRules.maximumPayloadBytes
        guard body.count <= limit else {
            throw AppleRefusal(.payloadTooLarge, .payloadIsTooLarge)
        }
        guard let value = try? JSONReader.parse(body, limits: Self.limits),
            case .object(let payload) = value
        else { throw AppleRefusal(.payloadEmpty, .payloadIsNoJSONObject) }
        let aps: JSONObject
        switch payload["aps"] {
        case nil: aps = [:]
        case .object(let object)?: aps = object
        case .null?, .boolean?, .integer?, .number?, .string?, .array?:
            throw AppleRefusal(.payloadEmpty, .apsIsNoObject)
        }
        self.init(aps: aps)
        try check(for: pushType)
    }

    private init(aps: JSONObject) {
        var (showsAlert, hasSound, isContentAvailable, isMutable) = (false, false, false, false)
        var badge: Int?
        for (key, value) in aps.members {
            switch key {
            case "alert": showsAlert = Self.hasWords(value)
            case "sound": hasSound = true
            case "badge": badge = value.integer.map(Int.init(clamping:))
            case "content-available": isContentAvailable = value.integer == 1
            case "mutable-content": isMutable = value.integer == 1
            default: break
            }
        }
        self.showsAlert = showsAlert
        self.hasSound = hasSound
        self.badge = badge
        self.isContentAvailable = isContentAvailable
        self.isMutable = isMutable
    }

    private static func hasWords(_ alert: JSONValue) -> Bool {
        switch alert {
        case .string(let text): !text.isEmpty
        case .object(let object): object.members.contains { words.contains($0.key) }
        case .null, .boolean, .integer, .number, .array: false
        }
    }

    /// The push type must match the payload; Apple calls a type that does not an invalid one.
    private func check(for pushType: ApplePushType?) throws(AppleRefusal) {
        let interrupts = showsAlert || hasSound || badge != nil
        switch pushType {
        case .background?:
            guard !interrupts else {
                throw AppleRefusal(.invalidPushType, .backgroundShowsSomething)
            }
            guard isContentAvailable else {
                throw AppleRefusal(.invalidPushType, .backgroundLacksContentAvailable)
            }
        case .alert?:
            guard interrupts else { throw AppleRefusal(.invalidPushType, .alertShowsNothing) }
        case nil, .location?, .voip?, .complication?, .fileprovider?, .mdm?, .liveactivity?,
            .pushtotalk?, .widgets?, .controls?:
            break
        }
    }
}

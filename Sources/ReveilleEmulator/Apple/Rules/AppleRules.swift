internal import ReveilleBytes

/// Apple's rules for the header section of a push, where they need neither keys nor devices.
///
/// Sources: Apple, "Sending notification requests to APNs" and "Handling notification responses from APNs". Where Apple
/// names a rule but not its answer, the choice is noted at the rule.
package enum AppleRules {
    /// The largest payload of all types but VoIP ("Generating a remote notification").
    package static let maximumPayloadBytes = 4096
    /// The longest collapse id, in bytes.
    package static let maximumCollapseIDBytes = 64
    /// The longest token looked at, in hexadecimal digits.
    ///
    /// Apple names no limit; Live Activity tokens have 160 digits.
    package static let maximumTokenDigits = 512
    /// The longest topic looked at, in bytes.
    ///
    /// Apple names no limit; bundle IDs have at most 155 characters.
    package static let maximumTopicBytes = 255
    /// The latest expiration: what the 32 bits of Apple's earlier interface could say.
    ///
    /// Catches milliseconds.
    package static let latestExpiration: Int64 = 4_294_967_295

    private static let pathPrefix = "/3/device/"

    /// The token of a request line, in lower case.
    static func token(method: String, path: String) throws(AppleRefusal) -> String {
        guard method == "POST" else { throw AppleRefusal(.methodNotAllowed, .methodIsNotPost) }
        guard path.hasPrefix(pathPrefix) else {
            if path == pathPrefix.dropLast() {
                throw AppleRefusal(.missingDeviceToken, .tokenIsMissing)
            }
            throw AppleRefusal(.badPath, .pathIsUnknown)
        }
        let digits = path.utf8.dropFirst(pathPrefix.utf8.count)
        guard !digits.isEmpty else { throw AppleRefusal(.missingDeviceToken, .tokenIsMissing) }
        guard !digits.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }) else {
            throw AppleRefusal(.badPath, .pathIsUnknown)
        }
        guard let token = normalizedToken(digits) else {
            throw AppleRefusal(.badDeviceToken, .tokenIsMalformed)
        }
        return token
    }

    /// An even number of hexadecimal digits, in lower case; nil for anything else.
    package static func normalizedToken(_ digits: some Collection<UInt8>) -> String? {
        let count = digits.count
        guard count % 2 == 0, (2...maximumTokenDigits).contains(count),
            digits.allSatisfy({ Hex.value(of: $0) != nil })
        else { return nil }
        return String(unsafeUninitializedCapacity: count) { target in
            var next = 0
            for digit in digits {
                target[next] = FieldText.lowerCased(digit)
                next += 1
            }
            return count
        }
    }

    /// Reads the fields of a request for `token`.
    static func push(
        to token: String, fields: borrowing PushFields
    ) throws(AppleRefusal) -> ApplePush {
        let id = try messageID(fields[.id])
        guard let topic = fields[.topic] else { throw AppleRefusal(.missingTopic, .topicIsMissing) }
        guard isTopic(topic) else { throw AppleRefusal(.badTopic, .topicIsMalformed) }
        let pushType = try pushType(fields[.pushType])
        let priority = try priority(fields[.priority], for: pushType)
        let expiration = try expiration(fields[.expiration])
        let collapseID = try collapseID(fields[.collapseID])
        return ApplePush(
            token: token, topic: topic, bundleID: try bundleID(of: topic, for: pushType),
            pushType: pushType, priority: priority, expiration: expiration, id: id,
            collapseID: collapseID)
    }

    private static func messageID(_ text: String?) throws(AppleRefusal) -> String? {
        guard let text else { return nil }
        guard UUIDText.decode(text) != nil else {
            throw AppleRefusal(.badMessageID, .idIsMalformed)
        }
        return text
    }

    private static func isTopic(_ text: String) -> Bool {
        (1...maximumTopicBytes).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }

    private static func pushType(_ text: String?) throws(AppleRefusal) -> ApplePushType? {
        guard let text else { return nil }
        guard let pushType = ApplePushType(rawValue: text) else {
            throw AppleRefusal(.invalidPushType, .pushTypeIsUnknown)
        }
        return pushType
    }

    /// A background push has priority 5; an absent priority counts as 10 and is refused as that would be.
    private static func priority(
        _ text: String?, for pushType: ApplePushType?
    ) throws(AppleRefusal) -> Int {
        let priority: Int
        switch text {
        case nil, "10"?: priority = 10
        case "5"?: priority = 5
        case "1"?: priority = 1
        default: throw AppleRefusal(.badPriority, .priorityIsUnknown)
        }
        if pushType == .background, priority != 5 {
            throw AppleRefusal(.badPriority, .priorityIsNotForBackground)
        }
        return priority
    }

    private static func expiration(_ text: String?) throws(AppleRefusal) -> Int64? {
        guard let text else { return nil }
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let seconds = Int64(text), seconds <= latestExpiration
        else { throw AppleRefusal(.badExpirationDate, .expirationIsMalformed) }
        return seconds
    }

    /// An empty collapse id is refused: a sender that has none must leave the field out.
    private static func collapseID(_ text: String?) throws(AppleRefusal) -> String? {
        guard let text else { return nil }
        // One character stands for each byte of the wire.
        let byteCount = text.unicodeScalars.count
        guard byteCount > 0 else { throw AppleRefusal(.badCollapseID, .collapseIDIsEmpty) }
        guard byteCount <= maximumCollapseIDBytes else {
            throw AppleRefusal(.badCollapseID, .collapseIDIsTooLong)
        }
        return text
    }

    /// A topic without the suffix that its push type asks for is answered with BadTopic.
    private static func bundleID(
        of topic: String, for pushType: ApplePushType?
    ) throws(AppleRefusal) -> String {
        guard let suffix = pushType?.topicSuffix, !suffix.isEmpty else { return topic }
        guard topic.hasSuffix(suffix), topic.utf8.count > suffix.utf8.count else {
            throw AppleRefusal(.badTopic, .topicLacksSuffix)
        }
        return String(topic.dropLast(suffix.count))
    }
}

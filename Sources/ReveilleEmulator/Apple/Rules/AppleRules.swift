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

    /// An even number of hexadecimal digits, in lower case; nil for anything else.
    package static func normalizedToken(_ text: String) -> String? {
        var text = text
        return text.withUTF8 { normalizedToken($0) }
    }

    /// An even number of hexadecimal digits, in lower case; nil for anything else.
    static func normalizedToken(_ digits: UnsafeBufferPointer<UInt8>) -> String? {
        let count = digits.count
        guard count % 2 == 0, (2...maximumTokenDigits).contains(count) else { return nil }
        var isLower = true
        for digit in digits {
            guard isHexadecimal(digit) else { return nil }
            if digit < 0x61, digit > 0x39 { isLower = false }
        }
        let text = String(decoding: digits, as: UTF8.self)
        return isLower ? text : text.lowercased()
    }

    @inline(__always)
    static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) || (0x41...0x46).contains(byte)
    }

    /// Whether the bytes spell a UUID as 8-4-4-4-12 hexadecimal digits, in either case.
    static func isUUID(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count == UUIDText.characterCount else { return false }
        for (position, byte) in bytes.enumerated() {
            switch position {
            case 8, 13, 18, 23: if byte != UInt8(ascii: "-") { return false }
            default: if !isHexadecimal(byte) { return false }
            }
        }
        return true
    }

    /// Reads the fields of a request for `token`, whose `apns-id` was read before.
    static func push(
        to token: String, id: String?, fields: PushFields
    ) throws(AppleRefusal) -> ApplePush {
        guard let topic = fields[.topic] else { throw AppleRefusal(.missingTopic, .topicIsMissing) }
        guard isTopic(topic) else { throw AppleRefusal(.badTopic, .topicIsMalformed) }
        let pushType = try pushType(in: fields)
        let priority = try priority(in: fields, for: pushType)
        let expiration = try expiration(fields[.expiration])
        let collapseID = try collapseID(fields[.collapseID])
        return ApplePush(
            token: token, topic: topic, bundleID: try bundleID(of: topic, for: pushType),
            pushType: pushType, priority: priority, expiration: expiration, id: id,
            collapseID: collapseID)
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

    private static func pushType(in fields: PushFields) throws(AppleRefusal) -> ApplePushType? {
        // The two that everybody sends are told apart without making text of them.
        if fields.has(.pushType, "alert") { return .alert }
        if fields.has(.pushType, "background") { return .background }
        guard let text = fields[.pushType] else { return nil }
        guard let pushType = ApplePushType(rawValue: text) else {
            throw AppleRefusal(.invalidPushType, .pushTypeIsUnknown)
        }
        return pushType
    }

    /// A background push has priority 5; an absent priority counts as 10 and is refused as that would be.
    private static func priority(
        in fields: PushFields, for pushType: ApplePushType?
    ) throws(AppleRefusal) -> Int {
        let priority: Int
        if fields.has(.priority, "10") || !fields.has(.priority) {
            priority = 10
        } else if fields.has(.priority, "5") {
            priority = 5
        } else if fields.has(.priority, "1") {
            priority = 1
        } else {
            throw AppleRefusal(.badPriority, .priorityIsUnknown)
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

internal import ReveilleJSON

/// A message that FCM's rules let through.
package struct FCMMessage: Sendable, Equatable {
    /// Whom it is for.
    package enum Target: Sendable, Equatable {
        /// A registration token.
        case token(String)
        /// A Firebase installation id.
        case fid(String)
        /// A topic, or a condition of topics.
        case topic(String)

        /// The member that names it.
        var kind: String {
            switch self {
            case .token: "token"
            case .fid: "fid"
            case .topic: "topic"
            }
        }

        /// Its text.
        var text: String {
            switch self {
            case .token(let text), .fid(let text), .topic(let text): text
            }
        }
    }

    /// How urgently Android treats it.
    package enum Priority: String, Sendable {
        case normal = "NORMAL"
        case high = "HIGH"
    }

    /// Whom it is for.
    package var target: Target
    /// What the app gets.
    package var data: [String: String] = [:]
    /// How urgently Android treats it.
    package var priority = Priority.normal
    /// How long it may be stored, in milliseconds.
    package var lifetimeMilliseconds = FCMRules.defaultLifetimeMilliseconds
    /// What later messages with the same key replace.
    package var collapseKey: String?
    /// Whether the system shows it itself, without the app.
    package var displaysItself = false
    /// Whether it is checked only.
    package var isDryRun = false
}

/// FCM's rules about the body of a send (reference of `projects.messages`, "About FCM messages").
enum FCMRules {
    /// Keys and values of a message together, in bytes.
    static let maximumPayloadBytes = 4096
    /// The same for topics.
    static let maximumTopicPayloadBytes = 2048
    /// The longest lifetime, which also holds when none is given: four weeks.
    static let defaultLifetimeMilliseconds: Int64 = 28 * 86_400_000
    /// The longest token that is looked at.
    static let maximumTargetBytes = 4096
    private static let targets = ["token", "fid", "topic", "condition"]
    private static let messageMembers: Set<String> = [
        "name", "data", "notification", "android", "webpush", "apns", "fcm_options", "token", "fid", "topic",
        "condition",
    ]
    private static let androidMembers: Set<String> = [
        "collapse_key", "priority", "ttl", "restricted_package_name", "data", "notification", "fcm_options",
        "direct_boot_ok", "bandwidth_constrained_ok", "restricted_satellite_ok",
    ]

    /// The message of a body, with the kind of target that it names.
    static func message(in body: [UInt8]) throws(GoogleError) -> FCMMessage {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONReader.parse(body, limits: JSONLimits(maximumBytes: 1 << 20))
        } catch {
            throw .invalidJSON("", "Invalid JSON payload received.", rule: "json_malformed")
        }
        let root = try members(of: value, at: "", known: ["message", "validate_only"])
        guard let given = root["message"] else {
            throw .invalidJSON("message", "Missing required field: message", rule: "message_missing")
        }
        let object = try members(of: given, at: "message", known: messageMembers)
        var message = FCMMessage(target: try target(in: object))
        if let dryRun = root["validate_only"] { message.isDryRun = try boolean(dryRun, at: "validate_only") }
        message.data = try data(object["data"], at: "message.data")
        message.displaysItself = object["notification"].map { !$0.isNull } ?? false
        var payload = message.data
        if let android = object["android"] {
            payload.merge(try read(android: android, into: &message)) { _, last in last }
        }
        if let notification = object["notification"] {
            for (key, value) in try members(of: notification, at: "message.notification", known: nil) {
                payload["notification." + key] = value.string ?? ""
            }
        }
        try check(payload, of: message)
        return message
    }

    private static func check(_ payload: [String: String], of message: FCMMessage) throws(GoogleError) {
        let size = payload.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        let isTopic = message.target.kind == "topic"
        guard size <= (isTopic ? maximumTopicPayloadBytes : maximumPayloadBytes) else {
            throw .invalidField("message", "Android message is too big", rule: "payload_too_big")
        }
    }

    private static func target(in object: [String: JSONValue]) throws(GoogleError) -> FCMMessage.Target {
        let given = targets.filter { object[$0] != nil }
        guard given.count == 1, let name = given.first else {
            let rule = given.isEmpty ? "target_missing" : "target_ambiguous"
            throw .invalidField("message", "Recipient of the message is not set, or more than one is.", rule: rule)
        }
        let text = try string(object[name] ?? .null, at: "message.\(name)")
        guard !text.isEmpty else { throw .invalidField("message.\(name)", "is empty", rule: "target_empty") }
        switch name {
        case "token", "fid":
            guard isTokenText(text) else { throw .invalidToken(name) }
            return name == "token" ? .token(text) : .fid(text)
        default: return .topic(text)
        }
    }

    /// Tokens are opaque; what has other characters never was one.
    static func isTokenText(_ text: String) -> Bool {
        text.utf8.count <= maximumTargetBytes
            && text.utf8.allSatisfy { octet in
                (0x30...0x3A).contains(octet) || (0x41...0x5A).contains(octet) || (0x61...0x7A).contains(octet)
                    || octet == 0x2D || octet == 0x5F || octet == 0x2E
            }
    }

    private static func read(
        android value: JSONValue, into message: inout FCMMessage
    ) throws(GoogleError) -> [String: String] {
        let object = try members(of: value, at: "message.android", known: androidMembers)
        if let value = object["priority"] {
            let word = try string(value, at: "message.android.priority")
            guard let priority = FCMMessage.Priority(rawValue: word.uppercased()) else {
                throw .invalidJSON(
                    "message.android.priority",
                    "Invalid value at 'message.android.priority' (AndroidMessagePriority)", rule: "priority_unknown")
            }
            message.priority = priority
        }
        if let value = object["ttl"] {
            message.lifetimeMilliseconds = try lifetime(try string(value, at: "message.android.ttl"))
        }
        if let value = object["collapse_key"] {
            let key = try string(value, at: "message.android.collapse_key")
            message.collapseKey = key.isEmpty ? nil : key
        }
        for name in ["direct_boot_ok", "bandwidth_constrained_ok", "restricted_satellite_ok"] {
            if let value = object[name] { _ = try boolean(value, at: "message.android.\(name)") }
        }
        if let value = object["restricted_package_name"] {
            _ = try string(value, at: "message.android.restricted_package_name")
        }
        if object["notification"].map({ !$0.isNull }) ?? false { message.displaysItself = true }
        guard let own = object["data"] else { return [:] }
        message.data = try data(own, at: "message.android.data")
        return message.data
    }

    /// `3600s`, `3.5s`: seconds with up to nine digits of a fraction.
    static func lifetime(_ text: String) throws(GoogleError) -> Int64 {
        let field = "message.android.ttl"
        let form = "Illegal duration format; duration must end with 's' and have digits before it"
        guard text.hasSuffix("s") else { throw .invalidJSON(field, form, rule: "ttl_form") }
        let parts = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
        let isNegative = text.hasPrefix("-")
        let whole = isNegative ? parts[0].dropFirst() : parts[0]
        func isDigits(_ text: Substring) -> Bool {
            !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        guard parts.count <= 2, isDigits(whole), parts.count == 1 || (isDigits(parts[1]) && parts[1].count <= 9),
            let seconds = Int64(whole)
        else { throw .invalidJSON(field, form, rule: "ttl_form") }
        let fraction = parts.count == 2 ? Int64((parts[1] + "00").prefix(3)) ?? 0 : 0
        let longest = defaultLifetimeMilliseconds / 1000
        guard !isNegative, seconds < longest || (seconds == longest && fraction == 0) else {
            throw .invalidField(field, "Invalid value: TTL must be from 0 to 2419200 seconds", rule: "ttl_range")
        }
        return seconds * 1000 + fraction
    }

    private static func data(_ value: JSONValue?, at path: String) throws(GoogleError) -> [String: String] {
        guard let value, !value.isNull else { return [:] }
        guard let object = value.object else { throw typeError(path, "map", rule: "data_type") }
        var data: [String: String] = [:]
        for (index, (key, value)) in object.members.enumerated() {
            guard let text = value.string else {
                throw typeError("\(path)[\(index)].value", "TYPE_STRING", rule: "data_value_type")
            }
            guard !isReserved(key) else {
                throw .invalidField(
                    "\(path)[\(index)].key", "Invalid data payload key: \(key)", rule: "data_key_reserved")
            }
            data[key] = text
        }
        return data
    }

    /// Keys that are FCM's own, in the widest reading of its texts.
    static func isReserved(_ key: String) -> Bool {
        key == "from" || key == "message_type" || key == "collapse_key" || key.hasPrefix("google")
            || key.hasPrefix("gcm")
    }

    // MARK: JSON as the API's reader takes it

    /// The members of an object under their names in snake_case; both spellings are taken.
    private static func members(
        of value: JSONValue, at path: String, known: Set<String>?
    ) throws(GoogleError) -> [String: JSONValue] {
        guard let object = value.object else { throw typeError(path, "object", rule: "json_type") }
        var members: [String: JSONValue] = [:]
        for (key, value) in object.members where !value.isNull {
            let name = known == nil ? key : snakeCased(key)
            if let known, !known.contains(name) {
                throw .invalidJSON(
                    path, "Invalid JSON payload received. Unknown name \"\(key)\" at '\(path)': Cannot find field.",
                    rule: "field_unknown")
            }
            guard members[name] == nil else {
                throw .invalidJSON(
                    path, "Invalid JSON payload received. \"\(key)\" is given twice.", rule: "field_twice")
            }
            members[name] = value
        }
        return members
    }

    private static func snakeCased(_ key: String) -> String {
        var name = ""
        for character in key {
            if character.isUppercase {
                name += "_" + character.lowercased()
            } else {
                name.append(character)
            }
        }
        return name
    }

    private static func string(_ value: JSONValue, at path: String) throws(GoogleError) -> String {
        guard let text = value.string else { throw typeError(path, "TYPE_STRING", rule: "json_type") }
        return text
    }

    private static func boolean(_ value: JSONValue, at path: String) throws(GoogleError) -> Bool {
        guard let truth = value.boolean else { throw typeError(path, "TYPE_BOOL", rule: "json_type") }
        return truth
    }

    private static func typeError(_ path: String, _ type: String, rule: String) -> GoogleError {
        .invalidJSON(path, "Invalid value at '\(path)' (\(type))", rule: rule)
    }
}

internal import ReveilleBytes
internal import ReveilleJSON
internal import ReveilleRuntime

/// A response of the emulated Apple.
struct AppleAnswer {
    var status: Int
    var reason: String?
    var retryAfter: String?
    var body: [UInt8] = []

    /// The push was taken.
    static let accepted = AppleAnswer(status: 200)

    /// The answer to a request that breaks a rule.
    static func refusal(_ refusal: AppleRefusal) -> AppleAnswer {
        var answer = AppleAnswer(
            status: refusal.reason.status, reason: refusal.reason.rawValue)
        answer.body = body(reason: refusal.reason.rawValue, timestamp: refusal.timestamp)
        return answer
    }

    /// An answer that a fault prescribes.
    static func scripted(_ script: ScriptedAnswer, at now: WallInstant) -> AppleAnswer {
        var answer = AppleAnswer(
            status: script.status, reason: script.reason, retryAfter: script.retryAfter)
        if let text = script.body {
            answer.body = Array(text.utf8)
        } else if let reason = script.reason {
            let timestamp: Int64? =
                switch script.timestamp {
                case nil: nil
                case .at(let milliseconds)?: milliseconds
                case .offset(let milliseconds)?:
                    now.adding(.milliseconds(milliseconds)).milliseconds
                }
            answer.body = body(reason: reason, timestamp: timestamp)
        }
        return answer
    }

    private static func body(reason: String, timestamp: Int64?) -> [UInt8] {
        var object: JSONObject = ["reason": .string(reason)]
        object["timestamp"] = timestamp.map(JSONValue.integer)
        return JSONValue.object(object).encoded()
    }
}

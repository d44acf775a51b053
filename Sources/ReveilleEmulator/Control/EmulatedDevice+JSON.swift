internal import ReveilleBytes
internal import ReveilleJSON
internal import ReveilleRuntime

extension EmulatedDevice {
    /// The device as the control interface shows it.
    var json: JSONObject {
        var object: JSONObject = [
            "token": .string(token), "environment": .string(environment.rawValue),
            "bundle_id": .string(bundleID), "online": .boolean(isOnline),
        ]
        switch registration {
        case .active: object["state"] = "active"
        case .unregistered(let since):
            object["state"] = "unregistered"
            object["since_ms"] = .integer(since.milliseconds)
        case .expired(let since):
            object["state"] = "expired"
            object["since_ms"] = .integer(since.milliseconds)
        }
        object["counters"] = [
            "accepted": .integer(Int64(counters.accepted)),
            "shown": .integer(Int64(counters.shown)),
            "replaced": .integer(Int64(counters.replaced)),
            "wakes": .integer(Int64(counters.wakes)),
            "overwritten": .integer(Int64(counters.overwritten)),
            "expired": .integer(Int64(counters.expired)),
            "orphaned": .integer(Int64(counters.orphaned)),
        ]
        return object
    }

    /// What is on the screen, what woke the app, and what Apple still stores.
    var screenJSON: JSONObject {
        [
            "token": .string(token), "badge": .integer(Int64(badge)),
            "screen": .array(screen.map { .object($0.json) }),
            "wakes": .array(wakes.map { .object($0.json) }),
            "stored": stored.map { .object($0.json) } ?? .null,
        ]
    }
}

extension DevicePush {
    fileprivate var json: JSONObject {
        var object: JSONObject = ["apns_id": .string(apnsID)]
        object["collapse_id"] = collapseID.map(JSONValue.string)
        object["push_type"] = pushType.map { .string($0.rawValue) }
        object["received_at_ms"] = .integer(receivedAt.milliseconds)
        object["delivered_at_ms"] = deliveredAt.map { .integer($0.milliseconds) }
        object["expiration"] = expiration.map(JSONValue.integer)
        object["replaced"] = .integer(Int64(replacedCount))
        object["payload"] = (try? JSONReader.parse(payload)) ?? .null
        return object
    }
}

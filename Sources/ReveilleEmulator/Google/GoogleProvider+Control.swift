internal import ReveilleBytes
internal import ReveilleCrypto
package import ReveilleJSON
internal import ReveilleNetwork
internal import ReveilleRuntime

/// Google in the control interface.
extension GoogleProvider {
    package func answer(_ request: ControlRequest) throws(JSONFieldError) -> ControlAnswer? {
        switch (request.method, request.path.first, request.path.count) {
        case ("POST", "devices", 1): return try putDevice(request)
        case ("GET", "devices", 2):
            return device(request.path[1]).map { ControlAnswer(200, $0.json) } ?? .error(404, "unknown_device")
        case ("DELETE", "devices", 2):
            return removeDevice(request.path[1]) ? ControlAnswer(200, [:]) : .error(404, "unknown_device")
        case ("GET", "accounts", 1):
            let accounts = endpoint.accounts.values.sorted { $0.clientEmail < $1.clientEmail }
            return ControlAnswer(
                200,
                [
                    "accounts": .array(
                        accounts.map { account in
                            [
                                "client_email": .string(account.clientEmail), "project_id": .string(account.projectID),
                                "may_send": .boolean(account.maySend),
                            ]
                        })
                ])
        case ("POST", "accounts", 2): return try changeAccount(request)
        case ("DELETE", "accounts", 2):
            return endpoint.remove(request.path[1]) ? ControlAnswer(200, [:]) : .error(404, "unknown_account")
        case ("DELETE", "tokens", 1):
            revokeTokens()
            return ControlAnswer(200, [:])
        default: return nil
        }
    }

    private func changeAccount(_ request: ControlRequest) throws(JSONFieldError) -> ControlAnswer {
        guard var account = endpoint.accounts[request.path[1]] else { return .error(404, "unknown_account") }
        var fields = try JSONFields(try request.json())
        account.maySend = try fields.optionalBoolean("may_send") ?? account.maySend
        account.projectID = try fields.optionalString("project_id", maximumBytes: 64) ?? account.projectID
        try fields.finish()
        endpoint.add(account)
        return ControlAnswer(200, [:])
    }

    /// Registers a device, or changes what the request names of one that is known.
    private func putDevice(_ request: ControlRequest) throws(JSONFieldError) -> ControlAnswer {
        var fields = try JSONFields(try request.json())
        let id = try fields.requiredString("id", maximumBytes: FCMRules.maximumTargetBytes)
        guard FCMRules.isTokenText(id) else { throw fields.error(.invalidValue, "id", "is no token") }
        let known = device(id)
        let project = try fields.optionalString("project_id", maximumBytes: 64)
        guard let project = project ?? known?.projectID ?? endpoint.accounts.values.first?.projectID else {
            throw fields.error(.missingField, "project_id", "is required")
        }
        let state: FCMDevice.State? = try fields.optionalWord("state")
        let online = try fields.optionalBoolean("online")
        let dozing = try fields.optionalBoolean("dozing")
        let clears = try fields.optionalBoolean("clear") ?? false
        try fields.finish()
        var changed = known ?? FCMDevice(id: id, projectID: project)
        changed.projectID = project
        changed.state = state ?? changed.state
        if clears { changed.clear() }
        if online != nil || dozing != nil {
            changed.set(online: online ?? changed.isOnline, dozing: dozing ?? changed.isDozing, at: clock.now())
        }
        guard put(changed) else { return .error(409, "too_many_devices") }
        return ControlAnswer(known == nil ? 201 : 200, changed.json)
    }

    /// What FCM reads from a send, member by member.
    package func details(of exchange: SeenExchange) -> JSONObject {
        guard exchange.operation == "send", let message = try? FCMRules.message(in: exchange.request.body) else {
            return [:]
        }
        return ["message": .object(message.json)]
    }
}

extension FCMMessage {
    var json: JSONObject {
        var object: JSONObject = [
            "target_kind": .string(target.kind), "target": .string(target.text), "priority": .string(priority.rawValue),
            "ttl_ms": .integer(lifetimeMilliseconds),
            "data": .object(JSONObject(members: data.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })),
        ]
        object["collapse_key"] = collapseKey.map(JSONValue.string)
        object["displays_itself"] = .boolean(displaysItself)
        if isDryRun { object["validate_only"] = true }
        return object
    }
}

extension FCMDelivery {
    var json: JSONObject {
        var object: JSONObject = ["name": .string(name), "received_at_ms": .integer(receivedAt.milliseconds)]
        object["delivered_at_ms"] = deliveredAt.map { .integer($0.milliseconds) }
        object["message"] = .object(message.json)
        return object
    }
}

extension FCMDevice {
    var json: JSONObject {
        [
            "id": .string(id), "project_id": .string(projectID), "state": .string(state.rawValue),
            "online": .boolean(isOnline), "dozing": .boolean(isDozing),
            "deliveries": .array(deliveries.map { .object($0.json) }),
            "stored": .array(stored.map { .object($0.json) }),
            "deleted_messages": .integer(Int64(deletedMessagesCount)),
            "counters": [
                "accepted": .integer(Int64(counters.accepted)), "delivered": .integer(Int64(counters.delivered)),
                "replaced": .integer(Int64(counters.replaced)), "expired": .integer(Int64(counters.expired)),
                "discarded": .integer(Int64(counters.discarded)),
            ],
        ]
    }
}

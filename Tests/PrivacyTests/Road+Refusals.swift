import PrivacyAudit
import ReveilleJSON

extension Road {
    /// Requests that are refused, each with content: one for every way a client can be wrong.
    ///
    /// - Returns: labels whose answer was not the expected status, with it.
    func walkRefusals(_ traveller: Traveller, _ device: AuditDevice) async throws -> [String] {
        var wrong: [String] = []
        let requests =
            notificationRefusals(traveller) + registrationRefusals(traveller) + profileRefusals(traveller, device)
            + accessRefusals(traveller) + laterRefusals(traveller)
        for (label, status, request) in requests {
            let reply = try await send(request, label)
            if reply.status != status { wrong.append("\(label): \(reply.status) instead of \(status)") }
        }
        for (label, status, octets) in brokenRequests(traveller) {
            let reply = try await send(octets, label)
            if reply.status != status { wrong.append("\(label): \(reply.status) instead of \(status)") }
        }
        return wrong
    }

    private typealias Refusal = (label: String, status: Int, request: AuditRequest)

    private func notificationRefusals(_ traveller: Traveller) -> [Refusal] {
        let good = traveller.notification().object ?? JSONObject()
        func post(
            _ label: String, _ status: Int = 400, _ change: (inout JSONObject) -> Void = { _ in },
            headers: [(String, String)] = []
        ) -> Refusal {
            var body = good
            change(&body)
            return (
                label, status,
                AuditRequest(
                    "POST", "/api/v1/notifications", token: traveller.producerToken, headers: headers,
                    json: .object(body))
            )
        }
        let title = canaries.send(.title)
        let long = JSONValue.string(String(repeating: title, count: 200))
        return [
            post(
                "unknown field", 400, { $0[self.canaries.send(.fieldName)] = .string(self.canaries.send(.fieldValue)) }),
            post("long title", 400, { $0["title"] = long }), post("long category", 400, { $0["category"] = long }),
            post("long series", 400, { $0["series"] = long }),
            post("long recipient", 400, { $0["recipients"] = [long] }),
            post(
                "repeated recipient", 400,
                {
                    $0["recipients"] = [.string(traveller.profile), .string(traveller.profile)]
                }),
            post("title of a wrong type", 400, { $0["title"] = [.string(title)] }),
            post("data of a wrong type", 400, { $0["data"] = .string(self.canaries.send(.data)) }),
            post("control character", 400, { $0["body"] = .string(self.canaries.send(.body) + "\u{1}") }),
            post("alert of no kind", 400, { $0["alert"] = .string(title) }),
            post("life out of range", 400, { $0["ttl"] = 1 }),
            post(
                "key with another body", 422, { $0["title"] = .string(title + " changed") },
                headers: [("idempotency-key", "\(canaries.send(.idempotencyKey))-1")]),
            post("key that is none", 400, headers: [("idempotency-key", canaries.send(.idempotencyKey) + "\u{e9}")]),
            post(
                "key twice", 400,
                headers: [
                    ("idempotency-key", canaries.send(.idempotencyKey)), ("idempotency-key", canaries.send(.header)),
                ]),
            post("media type", 415, headers: [("content-type", "text/\(canaries.send(.header))")]),
            post("coding", 415, headers: [("content-encoding", canaries.send(.header))]),
        ]
    }

    private func registrationRefusals(_ traveller: Traveller) -> [Refusal] {
        func register(_ label: String, _ status: Int, _ members: JSONObject) -> Refusal {
            var body: JSONObject = [
                "device_id": .string(canaries.send(.installID)), "apns_token": .string(canaries.send(.token)),
                "apns_environment": "production", "apns_topic": .string(topic("reveille")), "os": "ios",
            ]
            for member in members.members { body[member.key] = member.value }
            return (
                label, status,
                AuditRequest(
                    "POST", "/api/v1/devices/push/apple", token: traveller.profileToken, json: .object(body))
            )
        }
        return [
            register("foreign topic", 422, ["apns_topic": .string(canaries.send(.topic) + ".foreign")]),
            register("token that is none", 400, ["apns_token": .string(canaries.send(.fieldValue))]),
            register("locale that is none", 400, ["locale": .string(canaries.send(.deviceName))]),
            register(
                "categories twice", 400,
                [
                    "categories": [.string(canaries.send(.deviceCategory)), .string(canaries.send(.deviceCategory))]
                ]),
            register(
                "key without generation", 400,
                [
                    "installation_key": .string(canaries.send(.installationKey)),
                    "verification_code": .string(canaries.send(.verificationCode)),
                ]),
        ]
    }

    private func profileRefusals(_ traveller: Traveller, _ device: AuditDevice) -> [Refusal] {
        let path = canaries.send(.path)
        let own = traveller.profileToken
        return [
            (
                "no such device", 404,
                AuditRequest("PATCH", "/api/v1/devices/push/\(path)", token: own, json: ["name": "x"])
            ),
            (
                "long name", 400,
                AuditRequest(
                    "PATCH", "/api/v1/devices/push/\(device.id)", token: own,
                    json: ["name": .string(String(repeating: canaries.send(.deviceName), count: 20))])
            ),
            (
                "wrong code", 422,
                AuditRequest(
                    "POST", "/api/v1/devices/push/\(device.id)/verify", token: own,
                    json: ["code": .string(canaries.send(.verificationCode))])
            ),
            ("no such delivery", 404, AuditRequest("GET", "/api/v1/notifications/\(path)", token: own)),
            ("no such code", 404, AuditRequest("GET", "/api/v1/problems/\(path)")),
            ("read of no delivery", 404, AuditRequest("POST", "/api/v1/notifications/\(path)/read", token: own)),
            (
                "unknown cursor", 410,
                AuditRequest(
                    "GET", "/api/v1/notifications/sync?since=\(canaries.send(.cursor))", token: own)
            ),
            (
                "cursor of a body", 410,
                AuditRequest(
                    "POST", "/api/v1/notifications/read-all", token: own,
                    json: ["cursor": .string(canaries.send(.cursor))])
            ),
            (
                "unknown page", 400,
                AuditRequest(
                    "GET", "/api/v1/notifications?before=\(canaries.send(.query))", token: own)
            ),
            (
                "unknown parameter", 400,
                AuditRequest(
                    "GET", "/api/v1/notifications?\(canaries.send(.fieldName))=\(canaries.send(.query))", token: own)
            ),
            (
                "page of no size", 400,
                AuditRequest(
                    "GET", "/api/v1/notifications?limit=\(canaries.send(.query))", token: own)
            ),
            (
                "preference", 400,
                AuditRequest(
                    "PUT", "/api/v1/preferences", token: own, json: ["push_mode": .string(canaries.send(.fieldValue))])
            ),
        ]
    }

    private func accessRefusals(_ traveller: Traveller) -> [Refusal] {
        let body = traveller.notification()
        let path = canaries.send(.path)
        let unknown = canaries.send(.credential)
        return [
            ("no credential", 401, AuditRequest("POST", "/api/v1/notifications", json: body)),
            ("unknown credential", 401, AuditRequest("POST", "/api/v1/notifications", token: unknown, json: body)),
            (
                "malformed credential", 401,
                AuditRequest(
                    "POST", "/api/v1/notifications", headers: [("authorization", "Basic \(unknown)")], json: body)
            ),
            (
                "wrong kind of credential", 403,
                AuditRequest(
                    "POST", "/api/v1/notifications", token: traveller.profileToken, json: body)
            ),
            (
                "foreign device", 403,
                AuditRequest(
                    "GET", "/api/v1/notifications", token: traveller.profileToken,
                    headers: [("reveille-device", canaries.send(.header))])
            ),
            ("no such path", 404, AuditRequest("GET", "/\(path)/\(canaries.send(.query))?\(path)=\(path)")),
            ("path outside", 404, AuditRequest("POST", "/api/v1/notifications/\(path)/\(path)", json: body)),
            ("wrong method", 405, AuditRequest("DELETE", "/api/v1/notifications", json: body)),
            ("unknown method", 501, AuditRequest(canaries.send(.method), "/api/v1/notifications")),
            (
                "foreign origin", 403,
                AuditRequest(
                    "GET", "/api/v1/notifications", token: traveller.producerToken,
                    headers: [
                        ("origin", "https://\(canaries.send(.header))"), ("cookie", canaries.send(.header)),
                        ("user-agent", canaries.send(.header)), ("referer", "https://example.org/\(path)"),
                    ])
            ),
        ]
    }

    private func laterRefusals(_ traveller: Traveller) -> [Refusal] {
        let mail: JSONValue = [
            "from": .string(canaries.send(.sender)), "subject": .string(canaries.send(.subject)),
            "folder": .string(canaries.send(.folder)), "mailbox": .string(traveller.profile),
        ]
        return [
            (
                "mail event", 501,
                AuditRequest(
                    "POST", "/api/v1/mail/events", token: traveller.producerToken, json: mail)
            ),
            (
                "broadcast", 501,
                AuditRequest(
                    "POST", "/api/v1/broadcasts", token: traveller.producerToken, json: traveller.notification())
            ),
            ("mail register", 501, AuditRequest("POST", "/push_register", token: traveller.profileToken, json: mail)),
            (
                "actions", 501,
                AuditRequest(
                    "POST", "/api/v1/notifications/\(canaries.send(.path))/actions", token: traveller.profileToken,
                    json: mail)
            ),
        ]
    }

    /// Requests that are no HTTP, or whose body is no JSON, with content where they break.
    private func brokenRequests(_ traveller: Traveller) -> [(label: String, status: Int, octets: [UInt8])] {
        let title = canaries.send(.title)
        let host = canaries.send(.serverName)
        func json(_ text: String) -> [UInt8] {
            var request = AuditRequest("POST", "/api/v1/notifications", token: traveller.producerToken)
            request.body = Array(text.utf8)
            return request.octets(host: host)
        }
        func raw(_ text: String) -> [UInt8] { Array((text + "\r\n").utf8) }
        let path = canaries.send(.path)
        let header = canaries.send(.header)
        let line = "POST /\(path) HTTP/1.1\r\nhost: \(host)\r\n"
        return [
            ("JSON that ends early", 400, json("{\"title\":\"\(canaries.send(.sender))")),
            ("JSON with a wrong octet", 400, json("{\"title\":\(canaries.send(.sender))}")),
            ("JSON with rubbish behind", 400, json("{} \(canaries.send(.sender))")),
            (
                "JSON with a key twice", 400,
                json(
                    "{\"\(canaries.send(.fieldName))\":1,\"\(canaries.send(.fieldName))\":2}")
            ),
            ("JSON that is a text", 400, json("\"\(canaries.send(.sender))\"")),
            ("body too large", 413, json("{\"title\":\"" + String(repeating: title, count: 2_000) + "\"}")),
            ("no host", 400, raw("GET /\(path) HTTP/1.1\r\nx-note: \(header)\r\n")),
            ("version", 505, raw("GET /\(path) HTTP/3.7\r\nhost: \(host)\r\n")),
            ("field name", 400, raw(line + "x note: \(header)\r\n")),
            ("folded line", 400, raw(line + "x-note: a\r\n \(header)\r\n")),
            ("two lengths", 400, raw(line + "content-length: 1\r\ncontent-length: 2\r\nx-note: \(header)\r\n")),
            ("chunk", 400, raw(line + "transfer-encoding: chunked\r\n\r\n\(canaries.send(.sender))")),
            ("expectation", 417, raw(line + "expect: \(header)\r\ncontent-length: 1\r\n")),
            (
                "long target", 414,
                raw("GET /" + String(repeating: path, count: 1_500) + " HTTP/1.1\r\nhost: \(host)\r\n")
            ),
            ("large header", 431, raw(line + "x-note: " + String(repeating: header, count: 6_000) + "\r\n")),
        ]
    }
}

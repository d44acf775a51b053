import ReveilleBytes
import ReveilleCore
import ReveilleHomeAPI
import ReveilleInbox
import ReveilleJSON
import ReveilleNetwork
import ReveilleStorage
import ReveilleStorageSQLite
import Testing

/// A phone of a profile, with what its owner holds.
struct OutcomePhone: Sendable {
    let profile: String
    let profileToken: String
    var token: String
    let row: DeviceRow
    let id: String
}

/// What producers, owners and operators do: everything goes through the API.
extension OutcomeWorld {
    /// Sends a request and reads its answer as JSON.
    func call(
        _ method: String, _ path: String, token: String, json: JSONValue? = nil
    ) async throws -> (status: Int, json: JSONValue) {
        var fields = HTTPFields()
        fields.add("authorization", "Bearer \(token)")
        if json != nil { fields.add("content-type", "application/json") }
        let request = HTTPRequest(
            method: method, target: path, fields: fields, body: json?.encoded() ?? [], peer: .loopback(port: 4_000))
        let response = await api.respond(to: request)
        switch response.body {
        case .empty: return (response.status, .null)
        case .bytes(let bytes): return (response.status, try JSONReader.parse(bytes))
        }
    }

    /// Registers a phone for a profile.
    func register(_ profile: String, number: Int) async throws -> OutcomePhone {
        let minted = try await call("POST", "/api/v1/profiles/\(profile)/tokens", token: producerToken)
        let profileToken = try #require(minted.json["token"]?.string)
        let token = Self.deviceToken(number)
        let id = try await register(token, of: profile, with: profileToken)
        let row = DeviceRow(try #require(store.secrets.publicIDs.row(.device, text: id)))
        return OutcomePhone(profile: profile, profileToken: profileToken, token: token, row: row, id: id)
    }

    /// Registers a phone again, with another token.
    func rotate(_ phone: inout OutcomePhone) async throws {
        phone.token = Self.deviceToken(200)
        let id = try await register(phone.token, of: phone.profile, with: phone.profileToken)
        #expect(id == phone.id)
    }

    /// The app registers with the token that it has, as it does at each start.
    func registerAgain(_ phone: OutcomePhone) async throws {
        let id = try await register(phone.token, of: phone.profile, with: phone.profileToken)
        #expect(id == phone.id)
    }

    private func register(_ token: String, of profile: String, with profileToken: String) async throws -> String {
        let answer = try await call(
            "POST", "/api/v1/devices/push/apple", token: profileToken,
            json: [
                "device_id": .string("install-\(profile)"), "apns_token": .string(token),
                "apns_environment": "production", "apns_topic": .string(Self.topic), "os": "ios",
            ])
        return try #require(answer.json["id"]?.string)
    }

    private static func deviceToken(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "c", count: 64 - digits.count) + digits
    }

    /// Removes a phone.
    func remove(_ phone: OutcomePhone) async throws {
        let answer = try await call("DELETE", "/api/v1/devices/push/\(phone.id)", token: phone.profileToken)
        #expect(answer.status == 204)
    }

    /// Posts a notification to phones and returns the newest wake of the first.
    @discardableResult
    func post(_ phones: [OutcomePhone]) async throws -> WakeRow {
        let answer = try await call(
            "POST", "/api/v1/notifications", token: producerToken,
            json: [
                "recipients": .array(phones.map { .string($0.profile) }), "category": .string(Self.category),
                "title": "A title",
            ])
        #expect(answer.status == 202)
        let wakes = try await store.wakes(after: nil, state: nil, limit: 1_000)
        return try #require(wakes.last { $0.device == phones[0].row }).row
    }

    /// The device as the owner and as the operator see it; nil when there is none.
    func views(of phone: OutcomePhone) async throws -> (owner: JSONValue, admin: JSONValue)? {
        let own = try await call("GET", "/api/v1/devices/push", token: phone.profileToken)
        let all = try await call("GET", "/api/v1/admin/devices", token: adminToken)
        let mine = own.json["devices"]?.array?.first { $0["id"]?.string == phone.id }
        let seen = all.json["devices"]?.array?.first { $0["id"]?.string == phone.id }
        guard let mine, let seen else { return nil }
        return (mine, seen)
    }

    /// A lane as the operator sees it.
    func laneView(_ environment: String = "production") async throws -> JSONValue {
        let answer = try await call("GET", "/api/v1/admin/lanes", token: adminToken)
        return answer.json["lanes"]?.array?.first { $0["place"]?.string == environment } ?? .null
    }
}

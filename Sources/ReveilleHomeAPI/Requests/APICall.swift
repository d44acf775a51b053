import ReveilleBytes
import ReveilleInbox
import ReveilleJSON
import ReveilleNetwork

/// One request on its way through a route: strict access to what it holds.
struct APICall: Sendable {
    /// What a body may cost; the server refuses longer ones before they are read.
    static let bodyLimits = JSONLimits(
        maximumBytes: HomeAPISettings.maximumBodyOctets, maximumDepth: 32, maximumElements: 20_000)

    let request: HTTPRequest
    /// The path's parameters in the order of the template.
    let parameters: [String]

    /// A parameter of the path.
    func parameter(_ index: Int) throws(Problem) -> String {
        guard parameters.indices.contains(index) else { throw Problem(.internalError) }
        return parameters[index]
    }

    /// What the request shows to be let in.
    func credentials() throws(Problem) -> PresentedCredentials {
        PresentedCredentials(
            bearer: bearer(), device: try field("reveille-device", named: "Reveille-Device"),
            address: ClientAddress(octets: request.peer.octets))
    }

    /// A header field that may come once.
    func field(_ name: String, named printed: String) throws(Problem) -> String? {
        let values = request.fields.values(name)
        guard values.count < 2 else {
            throw Problem(.invalidValue, field: printed, explanation: "must not be repeated")
        }
        return values.first
    }

    /// The fields of a body that must be there.
    func fields() throws -> JSONFields {
        guard !request.body.isEmpty else { throw Problem(.missingBody) }
        return try parsedFields()
    }

    /// The fields of a body that may be left out.
    func optionalFields() throws -> JSONFields {
        if request.body.isEmpty { return try JSONFields(.object(JSONObject())) }
        return try parsedFields()
    }

    /// Refuses a body.
    func refuseBody() throws(Problem) {
        guard request.body.isEmpty else { throw Problem(.unexpectedBody) }
    }

    /// Refuses a body with any field; an empty object is what some clients send for nothing.
    func refuseFields() throws {
        try optionalFields().finish()
    }

    /// The query's parameters.
    func query() throws(Problem) -> QueryFields {
        try QueryFields(request.query)
    }

    /// Refuses a query.
    func refuseQuery() throws(Problem) {
        try query().finish()
    }

    private func parsedFields() throws -> JSONFields {
        guard request.body.count <= HomeAPISettings.maximumBodyOctets else { throw Problem(.bodyTooLarge) }
        try MediaType.requireJSON(request.fields.values("content-type"))
        try MediaType.refuseCodings(request.fields.values("content-encoding"))
        return try JSONFields(JSONReader.parse(request.body, limits: Self.bodyLimits))
    }

    private func bearer() -> PresentedCredentials.Bearer {
        let values = request.fields.values("authorization")
        guard let value = values.first else { return .none }
        guard values.count == 1 else { return .malformed }
        // The scheme is case-insensitive (RFC 9110 section 11.1); the token is token68 (RFC 6750 section 2.1).
        guard value.utf8.prefix(7).elementsEqual("bearer ".utf8, by: { FieldText.lowerCased($0) == $1 }) else {
            return .malformed
        }
        let token = value.utf8.dropFirst(7).drop { $0 == UInt8(ascii: " ") }
        guard !token.isEmpty, token.allSatisfy(Self.isTokenOctet) else { return .malformed }
        return .token(SecretText(String(decoding: token, as: UTF8.self)))
    }

    private static func isTokenOctet(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
            true
        default: false
        }
    }
}

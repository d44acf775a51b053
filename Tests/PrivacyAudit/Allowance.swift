/// A private text that belongs where it is found.
package struct Allowance: Sendable {
    package let way: WayOut
    /// The beginning of the place.
    let place: String
    let fields: Set<PrivateField>
    /// Why that is no leak, as the documents say.
    package let reason: String

    func covers(_ finding: Finding) -> Bool {
        guard case .leak(let field, .text) = finding.kind else { return false }
        return way == finding.way && finding.place.hasPrefix(place) && fields.contains(field)
    }

    /// All of them; a hash of a private text is allowed nowhere.
    package static let all = [
        Allowance(
            way: .apnsRequests, place: ":path", fields: [.token],
            reason: "Apple made the token, and finds the device by it"),
        Allowance(
            way: .apnsRequests, place: "apns-topic", fields: [.topic],
            reason: "the app's bundle id, which Apple gave out"),
        Allowance(
            way: .apnsOctets, place: "", fields: [.token, .topic, .verificationCode],
            reason: "token, bundle id and code again, inside the connection"),
        Allowance(
            way: .apnsRequests, place: "body", fields: [.verificationCode],
            reason: "a code proves possession of the token by travelling through Apple"),
        Allowance(
            way: .problems, place: "400", fields: [.fieldName],
            reason: "names of unknown fields, headers and parameters are told to whom sent them"),
        Allowance(
            way: .foreignAnswers, place: "admin GET /api/v1/admin/devices", fields: [.topic, .appVersion, .locale],
            reason: "the operator sees which app, version and language a device has"),
        Allowance(
            way: .files, place: "reveille.db",
            fields: [.profile, .producer, .label, .installID, .appVersion, .locale, .topic],
            reason: "who has devices and which app they run is not sealed; content, names of devices and tokens are"),
        Allowance(
            way: .terminal, place: "error", fields: [.fieldName],
            reason: "names of unknown commands and options are told to whom typed them"),
    ]
}

extension Allowance: CustomStringConvertible {
    package var description: String { "\(fields.map(\.rawValue).sorted()) through \(way.rawValue), \(place)" }

    /// What was found where it does not belong.
    package static func leaks(among findings: [Finding]) -> [Finding] {
        findings.filter { finding in !all.contains { $0.covers(finding) } }
    }

    /// Allowances, field by field, that nothing needed: each is a hole that could be closed.
    package static func idle(among findings: [Finding]) -> [Allowance] {
        all.flatMap { allowance in
            allowance.fields.map {
                Allowance(way: allowance.way, place: allowance.place, fields: [$0], reason: allowance.reason)
            }
        }.filter { allowance in !findings.contains { allowance.covers($0) } }
    }
}

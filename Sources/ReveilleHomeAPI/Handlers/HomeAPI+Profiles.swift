import ReveilleBytes
import ReveilleCore
import ReveilleInbox
import ReveilleJSON

extension HomeAPI {
    /// Mints a token for a profile of the producer.
    func mintToken(_ call: APICall, _ caller: ProducerCaller) async throws -> APIAnswer {
        try call.refuseQuery()
        let label = try Self.label(in: call)
        let minted = try await inbox.profiles.mint(try call.parameter(0), label: label, by: caller)
        return .json(status: 201) { json in
            json.member("token_id", minted.id)
            json.member("profile_id", minted.profileID)
            json.member("token", minted.token.reveal())
        }
    }

    private static func label(in call: APICall) throws -> String {
        var fields = try call.optionalFields()
        let label = try fields.optionalString("label", maximumBytes: ProfileDesk.maximumLabelOctets) ?? ""
        try fields.finish()
        return label
    }

    /// Revokes a token of a profile.
    func revokeToken(_ call: APICall, _ caller: ProducerCaller) async throws -> APIAnswer {
        try call.refuseBody()
        try call.refuseQuery()
        try await inbox.profiles.revoke(try call.parameter(1), of: try call.parameter(0), by: caller)
        return .noContent
    }

    /// The profile's preferences.
    func preferences(_ call: APICall, _ caller: ReaderCaller) async throws -> APIAnswer {
        try call.refuseBody()
        try call.refuseQuery()
        let mode = try await inbox.profiles.pushMode(of: caller)
        return .json { $0.member("push_mode", mode.rawValue) }
    }

    /// Replaces the profile's preferences.
    func changePreferences(_ call: APICall, _ caller: ReaderCaller) async throws -> APIAnswer {
        try call.refuseQuery()
        var fields = try call.fields()
        for later in Self.laterPreferences where fields.presence(of: later) != .absent {
            throw Problem(.notAvailableYet, field: later, explanation: "is not available in this version")
        }
        let mode = try fields.requiredWord("push_mode", PushMode.self)
        try fields.finish()
        try await inbox.profiles.setPushMode(mode, of: caller)
        return .json { $0.member("push_mode", mode.rawValue) }
    }

    /// Preferences of a later version; accepting them in silence would promise a quiet night.
    private static let laterPreferences = ["muted_categories", "quiet_hours"]
}

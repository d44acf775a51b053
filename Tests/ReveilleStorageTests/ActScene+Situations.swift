import ReveilleCore
import ReveilleRuntime
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTesting

/// Situations that more than one thing leads to.
extension ActScene {
    /// What a provider says of a device that it does not know any more.
    static let gone = Outcome.deviceGone(reason: ProviderReason("Unregistered"), sinceMilliseconds: nil)

    /// Who wants a device's token, and the code that was sent to it.
    struct Claim: Sendable {
        let profile: ProfileRow
        let code: String
    }

    /// A device that one "gone" put into quarantine, with the wake that brought it about.
    func quarantined() async throws -> Round {
        let round = try await leased()
        try await settle(round, Self.gone)
        return round
    }

    /// A device with one leased wake on a lane where a wake was just accepted and no device was disabled today.
    func proven() async throws -> Round {
        clock.advance(by: .seconds(86_400))
        try await settle(try await leased(), .accepted)
        return try await leased()
    }

    /// The app registers with another token.
    func rotateToken(_ round: Round) async throws {
        var request = try registration(round.number, round.profile)
        request.address = .apns(try DeviceToken(octets: request.address.octets.reversed()))
        guard case .existing = try await store.register(request) else { throw StoreError(.programming) }
    }

    /// A device bound to an installation key, whose token another profile claims and got a code for.
    func claimed() async throws -> Round {
        let round = try await posted(isKeyed: true)
        let claimant = try await store.profile("claimant-\(round.number)", of: producer)
        var request = try registration(round.number, claimant)
        request.installID = "another-\(round.number)"
        guard case .verificationRequired = try await store.register(request) else { throw StoreError(.programming) }
        let leased = try await store.lease(
            SQLiteStores.lane, limit: 1_000, lease: lease(), onlyTopic: nil, excludingTopics: [])
        let code = leased.first { $0.device == round.device.row && $0.reason == .verify }?.verificationCode
        guard let code else { throw StoreError(.programming) }
        claims.withLock { $0[round.number] = Claim(profile: claimant, code: code) }
        return round
    }

    /// The claim of a round that has one.
    func claim(_ round: Round) -> Claim? { claims.withLock { $0[round.number] } }
}

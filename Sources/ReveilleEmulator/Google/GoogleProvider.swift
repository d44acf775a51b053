internal import ReveilleBytes
internal import ReveilleJSON
package import ReveilleNetwork
package import ReveilleRuntime

/// A stand-in for FCM and for the OAuth token endpoint that its senders ask first.
package typealias FCMEmulator = PushServiceEmulator<GoogleProvider>

/// How the emulated Google behaves.
package struct GoogleSettings: Sendable {
    /// What happens with well-formed tokens that nobody registered.
    package enum UnknownTokens: String, Sendable, CaseIterable {
        /// It becomes a device of the project of its first message.
        case adopt
        /// UNREGISTERED.
        case refuse
    }

    /// The accounts that may ask for access tokens.
    package var accounts: [GoogleServiceAccount]
    /// Projects without an account that exist all the same.
    package var otherProjects: Set<String>
    /// How long an access token is good, in seconds.
    package var tokenLifetimeSeconds: Int64
    /// What happens with tokens that nobody registered.
    package var unknownTokens: UnknownTokens
    /// Further addresses under which assertions may name the token endpoint.
    package var audiences: Set<String>

    /// Google with these accounts.
    package init(
        accounts: [GoogleServiceAccount], otherProjects: Set<String> = [], tokenLifetimeSeconds: Int64 = 3599,
        unknownTokens: UnknownTokens = .adopt, audiences: Set<String> = ["https://oauth2.googleapis.com/token"]
    ) {
        self.accounts = accounts
        self.otherProjects = otherProjects
        self.tokenLifetimeSeconds = tokenLifetimeSeconds
        self.unknownTokens = unknownTokens
        self.audiences = audiences
    }
}

/// The emulated Google: token endpoint, sends, devices.
package final class GoogleProvider: PushServiceProvider {
    /// How many devices are kept; further unknown tokens are accepted and not adopted.
    static let maximumDevices = 1_000_000

    package static let name = "fcm"
    package static let controlPaths: Set<String> = ["devices", "accounts", "tokens"]

    private let settings: GoogleSettings
    let clock: any WallClock
    private let random: any RandomSource
    var endpoint: OAuthTokenEndpoint
    private(set) var devices: [String: FCMDevice] = [:]

    package init(_ settings: GoogleSettings, surroundings: PushServiceSurroundings) {
        self.settings = settings
        clock = surroundings.clock
        random = surroundings.random
        endpoint = OAuthTokenEndpoint(
            accounts: settings.accounts, lifetimeSeconds: settings.tokenLifetimeSeconds, random: surroundings.random)
    }

    /// Nothing that Google says names its own address.
    package func didListen(at origin: String) {}

    package func subject(of request: HTTPRequest) -> PushServiceSubject {
        if request.path == "/token" { return PushServiceSubject("token") }
        guard Self.project(in: request.path) != nil else { return PushServiceSubject("other") }
        let message = (try? JSONReader.parse(request.body))?["message"]
        return PushServiceSubject("send", message?["token"]?.string ?? message?["fid"]?.string)
    }

    /// The project of `/v1/projects/{project}/messages:send`; nil for another path.
    private static func project(in path: String) -> String? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0] == "", parts[1] == "v1", parts[2] == "projects", parts[4] == "messages:send",
            !parts[3].isEmpty
        else { return nil }
        return String(parts[3])
    }

    package func judge(_ request: HTTPRequest, at now: WallInstant) -> PushServiceJudgement {
        if request.path == "/token" { return grant(request, at: now) }
        guard let project = Self.project(in: request.path), request.method == "POST" else {
            var judgement = PushServiceJudgement(GoogleReason.notFoundPage.response(status: nil))
            judgement.brokenRule = "path_unknown"
            return judgement
        }
        do throws(GoogleError) {
            let message = try message(in: request, project: project, at: now)
            let name = "projects/\(project)/messages/" + (message.isDryRun ? "fake_message_id" : nextName(at: now))
            var judgement = PushServiceJudgement(.json(200, ["name": .string(name)]))
            judgement.messageID = name
            judgement.isAccepted = !message.isDryRun
            if !message.isDryRun { deliver(message, name: name, project: project, at: now) }
            return judgement
        } catch {
            var judgement = PushServiceJudgement(error.response)
            judgement.brokenRule = error.rule
            return judgement
        }
    }

    private func grant(_ request: HTTPRequest, at now: WallInstant) -> PushServiceJudgement {
        var audiences = settings.audiences
        if let host = request.fields["host"] {
            audiences.insert("\(request.isSecure ? "https" : "http")://\(host)/token")
        }
        do throws(OAuthTokenEndpoint.Refusal) {
            var judgement = PushServiceJudgement(try endpoint.respond(to: request, audiences: audiences, at: now))
            judgement.isGrant = true
            return judgement
        } catch {
            var judgement = PushServiceJudgement(error.response)
            judgement.brokenRule = error.rule
            return judgement
        }
    }

    /// Every rule in the order of the API: who asks, for which project, what, and for whom.
    private func message(
        in request: HTTPRequest, project: String, at now: WallInstant
    ) throws(GoogleError) -> FCMMessage {
        let bearer = request.fields["authorization"] ?? ""
        guard bearer.lowercased().hasPrefix("bearer "),
            let account = endpoint.account(bearing: String(bearer.dropFirst(7)), at: now)
        else { throw .unauthenticated }
        let isKnown =
            settings.otherProjects.contains(project) || endpoint.accounts.values.contains { $0.projectID == project }
        guard isKnown else { throw .projectNotFound }
        guard account.maySend, account.projectID == project else { throw .permissionDenied }
        let type = request.fields["content-type"]?.lowercased() ?? ""
        guard type.hasPrefix("application/json") else {
            throw .invalidJSON("", "Content type is not JSON.", rule: "content_type")
        }
        let message = try FCMRules.message(in: request.body)
        try check(message.target, project: project)
        return message
    }

    private func check(_ target: FCMMessage.Target, project: String) throws(GoogleError) {
        if case .topic = target { return }
        guard let device = devices[target.text] else {
            switch settings.unknownTokens {
            case .adopt: return
            case .refuse: throw .unregistered
            }
        }
        switch device.state {
        case .invalid: throw .invalidToken(target.kind)
        case .unregistered: throw .unregistered
        case .active, .throttled:
            guard device.projectID == project else { throw .senderIDMismatch }
            if device.state == .throttled { throw .deviceQuota }
        }
    }

    private func nextName(at now: WallInstant) -> String {
        "0:\(now.milliseconds)%" + Hex.encode(random.bytes(16))
    }

    private func deliver(_ message: FCMMessage, name: String, project: String, at now: WallInstant) {
        if case .topic = message.target { return }
        let id = message.target.text
        if devices[id] == nil {
            guard devices.count < Self.maximumDevices else { return }
            devices[id] = FCMDevice(id: id, projectID: project)
        }
        devices[id]?.receive(FCMDelivery(name: name, message: message, receivedAt: now), at: now)
    }

    package func response(for reason: String, status: Int?) -> HTTPResponse? {
        GoogleReason(rawValue: reason)?.response(status: status)
    }

    package func reset() {
        devices.removeAll()
        endpoint.revokeAll()
    }

    // MARK: Devices

    /// Puts a device in, or replaces the one with its id; false when there are too many.
    @discardableResult
    package func put(_ device: FCMDevice) -> Bool {
        guard devices[device.id] != nil || devices.count < Self.maximumDevices else { return false }
        devices[device.id] = device
        return true
    }

    /// A device; nil when it is not known.
    package func device(_ id: String) -> FCMDevice? { devices[id] }

    /// Changes a device that is known; false when it is not.
    @discardableResult
    package func change(_ id: String, _ body: (inout FCMDevice) -> Void) -> Bool {
        guard let index = devices.index(forKey: id) else { return false }
        body(&devices.values[index])
        return true
    }

    func removeDevice(_ id: String) -> Bool { devices.removeValue(forKey: id) != nil }

    /// Forgets every access token that was given, as when a key is revoked: 401 from now on.
    package func revokeTokens() { endpoint.revokeAll() }
}

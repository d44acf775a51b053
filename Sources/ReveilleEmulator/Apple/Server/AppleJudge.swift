internal import ReveilleBytes
internal import ReveilleHTTP2
internal import ReveilleRuntime

/// What Apple thinks of a request.
struct Judgement {
    /// What the request asks for; nil when its header section breaks a rule.
    var push: ApplePush?
    /// What the payload asks for; nil when a rule was broken.
    var payload: ApplePayload?
    /// The rule that was broken first.
    var refusal: AppleRefusal?
}

extension AppleWorld {
    /// Applies every rule in Apple's place: request line, fields, provider token, topic, payload, device token.
    func judge(
        _ request: ArrivedRequest, for target: RequestTarget, fields: PushFields,
        on environment: AppleEnvironment, credential: inout ConnectionCredential, at now: WallInstant
    ) -> Judgement {
        var judgement = Judgement()
        do throws(AppleRefusal) {
            let token = try target.token.get()
            guard !fields.hasDuplicates else {
                throw AppleRefusal(.duplicateHeaders, .fieldStandsTwice)
            }
            let credentials = try authenticate(fields, on: environment, as: &credential, at: now)
            let push = try AppleRules.push(to: token, id: try target.id.get(), fields: fields)
            judgement.push = push
            try checkTopic(of: push, for: credentials)
            guard !request.isBodyTooLong else {
                throw AppleRefusal(.payloadTooLarge, .payloadIsTooLarge)
            }
            let payload = try ApplePayload(request.body, pushType: push.pushType)
            try devices.check(push, in: environment, at: now)
            judgement.payload = payload
        } catch {
            judgement.refusal = error
        }
        return judgement
    }

    /// Checks the provider token alone, and lets the connection remember it.
    func authenticate(
        _ fields: PushFields, on environment: AppleEnvironment,
        as credential: inout ConnectionCredential, at now: WallInstant
    ) throws(AppleRefusal) -> ProviderToken {
        let known = fields.withValue(of: .authorization) { credential.remembered(for: $0) }
        guard let known else {
            throw AppleRefusal(.missingProviderToken, .authorizationIsMissing)
        }
        if let token = known {
            try token.checkAge(at: now.seconds)
            return token
        }
        let text = fields.withValue(of: .authorization) { [UInt8]($0) } ?? []
        let token = try providerTokens.token(in: text)
        try token.checkAge(at: now.seconds)
        try token.checkEnvironment(environment)
        try credential.admit(token, text: text)
        return token
    }

    private func checkTopic(of push: ApplePush, for token: ProviderToken) throws(AppleRefusal) {
        if let bundleIDs, !bundleIDs.contains(push.bundleID) {
            throw AppleRefusal(.topicDisallowed, .topicIsNotAllowed)
        }
        if let topics = token.topics, !topics.contains(push.topic) {
            throw AppleRefusal(.topicDisallowed, .topicIsNotOfKey)
        }
    }
}

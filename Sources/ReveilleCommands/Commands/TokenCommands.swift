internal import ReveilleCore
internal import ReveilleInbox
internal import ReveilleJSON
internal import ReveilleStorage
internal import ReveilleStorageSQLite

/// `reveille token …`: bearer tokens of producers, profiles and admins.
enum TokenCommands {
    static let scope = Option(
        "--scope", "SCOPE", help: "what a producer token may do: notify, mail:events, profiles:mint; default all",
        isRepeatable: true)

    static let create = Command(
        path: ["token", "create"],
        summary: "make a bearer token for a producer, a profile or an admin",
        discussion: "The token is shown once and kept only as a keyed hash.",
        options: HomeSettingDefinitions.storeOptions + [
            Option("--admin", help: "a token for the admin routes"),
            Option("--producer", "NAME", help: "a token for this producer, or the producer of --profile"),
            Option("--profile", "ID", help: "a token for a profile in the producer's namespace"),
            scope, .json,
        ]
    ) { invocation, terminal in
        let json = invocation.has("--json")
        try check(invocation)
        let scopes = try scopes(invocation, default: Set(Scope.allCases))
        return try await StoreOpener.withStore(invocation) { store in
            let holder = try await holder(invocation, store)
            let isProducer = if case .producer = holder { true } else { false }
            let made = try await store.createToken(holder, scopes: isProducer ? scopes : [], label: "made by command")
            let name = invocation.value("--profile") ?? invocation.value("--producer") ?? ""
            show(made.token, for: word(holder), named: name, json: json, terminal)
            try await withdrawIfLost(made.credential, of: holder, in: store, terminal)
            return .success
        }
    }

    static let revoke = Command(
        path: ["token", "revoke"],
        summary: "revoke a bearer token",
        discussion: """
            Reads the token from standard input or from --file, so that it appears in no list of processes. A server that runs
            on the same database honours it within five seconds.
            """,
        options: HomeSettingDefinitions.storeOptions + [
            Option("--file", "FILE", help: "a file that holds the token"), .json,
        ]
    ) { invocation, terminal in
        let token = try TokenInput.read(invocation.value("--file"), option: "--file")
        return try await StoreOpener.withStore(invocation) { store in
            switch try await store.revoke(token: token) {
            case .revoked: break
            case .wasRevokedBefore: throw CommandFailure("this token was revoked before; nothing was changed")
            case .unknownToken: throw CommandFailure("there is no such token in this store; is it the whole text?")
            }
            if invocation.has("--json") {
                terminal.print(json: ["revoked": true])
            } else {
                terminal.print("revoked")
            }
            return .success
        }
    }

    static func scopes(_ invocation: Invocation, default fallback: Set<Scope>) throws(UsageError) -> Set<Scope> {
        let words = invocation.all("--scope")
        if words.isEmpty { return fallback }
        var scopes: Set<Scope> = []
        for word in words {
            guard let scope = Scope(rawValue: word) else {
                let all = Scope.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError("--scope takes one of: \(all)")
            }
            scopes.insert(scope)
        }
        return scopes
    }

    private static func holder(_ invocation: Invocation, _ store: any HomeStore) async throws -> CredentialHolder {
        guard let name = invocation.value("--producer") else { return .admin }
        guard let producer = try await store.producer(name: name) else {
            throw CommandFailure("there is no producer '\(name)'; 'reveille producer create \(name)' makes one")
        }
        guard let profile = invocation.value("--profile") else { return .producer(producer) }
        return .profile(try await store.profile(profile, of: producer))
    }

    private static func check(_ invocation: Invocation) throws(UsageError) {
        guard invocation.has("--admin") != invocation.has("--producer") else {
            throw UsageError("give either --admin or --producer NAME")
        }
        if invocation.has("--scope"), invocation.has("--profile") || invocation.has("--admin") {
            throw UsageError("--scope belongs to producer tokens; profile and admin tokens have none")
        }
        guard let profile = invocation.value("--profile") else { return }
        if invocation.has("--admin") { throw UsageError("--profile belongs to --producer; an admin token has none") }
        do throws(InboxError) {
            try FieldRules.profileID(profile)
        } catch {
            throw UsageError("--profile \(error.explanation.map { "\($0)" } ?? "breaks a rule")")
        }
    }

    /// A token that nobody has seen must not open anything.
    static func withdrawIfLost(
        _ credential: CredentialRow, of holder: CredentialHolder, in store: any HomeStore, _ terminal: Terminal
    ) async throws {
        guard let lost = terminal.lostOutput else { return }
        _ = try await store.revoke(credential, of: holder)
        throw CommandFailure(
            "the token could not be written (\(lost.reason)) and was revoked again; make another one with "
                + "'reveille token create'")
    }

    static func word(_ holder: CredentialHolder) -> String {
        switch holder {
        case .producer: "producer"
        case .profile: "profile"
        case .admin: "admin"
        }
    }

    static func show(_ token: String, for kind: String, named name: String, json: Bool, _ terminal: Terminal) {
        if json {
            terminal.print(json: ["kind": .string(kind), "name": .string(name), "token": .string(token)])
        } else {
            terminal.print(token)
            guard terminal.lostOutput == nil else { return }
            terminal.note(
                "This is the \(kind)'s token. It is shown once; keep it in a file that only its user can read.")
        }
    }
}

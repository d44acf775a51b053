internal import ReveilleJSON
internal import ReveilleNetwork
internal import ReveilleRuntime

/// `reveille notify`: post one notification through the API.
enum NotifyCommand {
    static let command = Command(
        path: ["notify"],
        summary: "post a notification to profiles",
        discussion: """
            The producer token is read from --token-file, or from the variable REVEILLE_TOKEN. The title and body stay on the
            server; devices fetch them from there.
            """,
        options: [
            Option("--server", "URL", help: "the home server; default http://127.0.0.1:7780"),
            Option("--ca-file", "FILE", help: "an additional certificate authority to trust"),
            Option("--token-file", "FILE", help: "a file that holds the producer token"),
            Option("--to", "PROFILE", help: "a profile id; may be repeated", isRepeatable: true),
            Option("--category", "NAME", help: "the category; listed ones may alert"),
            Option("--title", "TEXT", help: "the title; empty unless given"),
            Option("--body", "TEXT", help: "the body; empty unless given"),
            Option("--series", "NAME", help: "what belongs together and may replace itself on screen"),
            Option("--silent", help: "never show an alert"),
            Option("--ttl", "SECONDS", help: "how long it is worth waking a device for"),
            Option("--idempotency-key", "KEY", help: "repeating with the same key posts nothing twice"),
            .json,
        ]
    ) { invocation, terminal in
        let draft = try draft(invocation)
        try checkServer(invocation)
        return try await post(json(draft), invocation, terminal)
    }

    private static func post(
        _ body: JSONValue, _ invocation: Invocation, _ terminal: Terminal
    ) async throws -> ExitStatus {
        let url = invocation.value("--server") ?? "http://127.0.0.1:7780"
        let token = try token(invocation)
        let extra = try idempotency(invocation)
        let loop = EventLoop(name: "notify")
        loop.start()
        defer { loop.stop() }
        let caller = try APICaller(url: url, authorityFile: invocation.value("--ca-file"), loop: loop)
        let answer: APICaller.Answer
        do {
            answer = try await caller.call(
                "POST", "/api/v1/notifications", token: token, body: body, extra: extra)
        } catch {
            await caller.close()
            throw APICaller.failure(error, url: url)
        }
        await caller.close()
        guard answer.status == 202 else { throw APICaller.refusal(answer) }
        if invocation.has("--json") {
            terminal.print(json: answer.body)
        } else {
            terminal.print("accepted as \(answer.body["notification_id"]?.string ?? "?")")
        }
        return .success
    }

    private static func idempotency(_ invocation: Invocation) throws(UsageError) -> [(name: String, value: String)] {
        guard let key = invocation.value("--idempotency-key") else { return [] }
        guard !key.isEmpty, ClientRequest.isFieldValue(key) else {
            throw UsageError("--idempotency-key takes printable ASCII characters, with blanks inside it only")
        }
        return [(name: "idempotency-key", value: key)]
    }

    private static func token(_ invocation: Invocation) throws -> String {
        if let path = invocation.value("--token-file") {
            return try checked(try TokenInput.read(path, option: "--token-file"), from: "--token-file")
        }
        if let token = SettingsSource.processEnvironment()["REVEILLE_TOKEN"], !token.isEmpty {
            return try checked(token, from: "REVEILLE_TOKEN")
        }
        throw UsageError("--token-file is missing (or set REVEILLE_TOKEN): 'reveille producer create' makes a token")
    }

    private static func checked(_ token: String, from source: String) throws(UsageError) -> String {
        guard ClientRequest.isFieldValue(token) else {
            throw UsageError("\(source) holds no token: a token is printable ASCII")
        }
        return token
    }
}

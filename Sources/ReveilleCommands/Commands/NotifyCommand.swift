internal import ReveilleJSON
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
            Option("--title", "TEXT", help: "the title"), Option("--body", "TEXT", help: "the body"),
            Option("--series", "NAME", help: "what belongs together and may replace itself on screen"),
            Option("--silent", help: "never show an alert"),
            Option("--ttl", "SECONDS", help: "how long it is worth waking a device for"),
            Option("--idempotency-key", "KEY", help: "repeating with the same key posts nothing twice"),
            .json,
        ]
    ) { invocation, terminal in
        let recipients = invocation.all("--to")
        guard !recipients.isEmpty else { throw UsageError("--to is missing; name at least one profile") }
        var body: [(key: String, value: JSONValue)] = [
            ("recipients", .array(recipients.map(JSONValue.string))),
            ("category", .string(try invocation.required("--category"))),
            ("title", .string(try invocation.required("--title"))),
            ("body", .string(invocation.value("--body") ?? "")),
        ]
        if let series = invocation.value("--series") { body.append(("series", .string(series))) }
        if invocation.has("--silent") { body.append(("alert", "silent")) }
        if invocation.has("--ttl") {
            body.append(("ttl", .integer(Int64(try invocation.integer("--ttl", in: 60...2_419_200, default: 0)))))
        }
        return try await post(.object(JSONObject(members: body)), invocation, terminal)
    }

    private static func post(
        _ body: JSONValue, _ invocation: Invocation, _ terminal: Terminal
    ) async throws -> ExitStatus {
        let url = invocation.value("--server") ?? "http://127.0.0.1:7780"
        let token = try token(invocation)
        let loop = EventLoop(name: "notify")
        loop.start()
        defer { loop.stop() }
        let caller = try APICaller(url: url, authorityFile: invocation.value("--ca-file"), loop: loop)
        let extra = invocation.value("--idempotency-key").map { [(name: "idempotency-key", value: $0)] } ?? []
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

    private static func token(_ invocation: Invocation) throws -> String {
        if let path = invocation.value("--token-file") { return try TokenInput.read(path) }
        if let token = SettingsSource.processEnvironment()["REVEILLE_TOKEN"], !token.isEmpty { return token }
        throw UsageError("--token-file is missing (or set REVEILLE_TOKEN): 'reveille producer create' makes a token")
    }
}

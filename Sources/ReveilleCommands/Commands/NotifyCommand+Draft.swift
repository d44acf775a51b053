internal import ReveilleCore
internal import ReveilleInbox
internal import ReveilleJSON
internal import ReveilleNetwork

extension NotifyCommand {
    /// The notification that the options describe, held to the rules of the API before a server is asked.
    static func draft(_ invocation: Invocation) throws(UsageError) -> NotificationDraft {
        let recipients = invocation.all("--to")
        guard !recipients.isEmpty else { throw UsageError("--to is missing; name at least one profile") }
        var draft = NotificationDraft(
            recipients: recipients, category: try invocation.required("--category"),
            title: invocation.value("--title") ?? "", body: invocation.value("--body") ?? "",
            series: invocation.value("--series"), alert: invocation.has("--silent") ? .silent : nil,
            idempotencyKey: invocation.value("--idempotency-key"))
        if let text = invocation.value("--ttl") {
            guard let seconds = Int64(text) else { throw UsageError("--ttl takes a whole number of seconds") }
            draft.ttlSeconds = seconds
        }
        do throws(InboxError) {
            try FieldRules.notification(draft)
        } catch {
            let field = error.field ?? ""
            throw UsageError("\(option(of: field)) \(error.explanation.map { "\($0)" } ?? "breaks a rule")")
        }
        return draft
    }

    /// Refuses a server and an authority that cannot be meant.
    static func checkServer(_ invocation: Invocation) throws(UsageError) {
        if let url = invocation.value("--server"), HTTPOrigin(parsing: url) == nil {
            throw UsageError("--server must be http://host:port or https://host:port, without a path")
        }
        _ = try AuthorityFile.path(invocation, "--ca-file")
    }

    /// The body of a post.
    static func json(_ draft: NotificationDraft) -> JSONValue {
        var body: [(key: String, value: JSONValue)] = [
            ("recipients", .array(draft.recipients.map(JSONValue.string))), ("category", .string(draft.category)),
            ("title", .string(draft.title)), ("body", .string(draft.body)),
        ]
        if let series = draft.series { body.append(("series", .string(series))) }
        if let alert = draft.alert { body.append(("alert", .string(alert.rawValue))) }
        if let ttl = draft.ttlSeconds { body.append(("ttl", .integer(ttl))) }
        return .object(JSONObject(members: body))
    }

    /// The option that gives a field of the API.
    private static func option(of field: String) -> String {
        switch field {
        case "recipients": "--to"
        case "Idempotency-Key": "--idempotency-key"
        default: "--" + field
        }
    }
}

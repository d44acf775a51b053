internal import ReveilleEmulator

/// `reveille emulate unifiedpush`: a stand-in for the push server of a distributor.
enum EmulateUnifiedPushCommand {
    static let command = Command(
        path: ["emulate", "unifiedpush"],
        summary: "run a stand-in for the push server of a UnifiedPush distributor",
        discussion: """
            Endpoints as ntfy or NextPush give them out, over real TLS, HTTP/2 and HTTP/1.1. The control interface makes them,
            and opens the pushes to those whose keys the emulator holds. The settings that point a server at it are printed at
            the start.
            """,
        options: PushServiceOptions.unifiedPush.options + [
            Option("--server", "NAME", help: "which server it is: ntfy or nextpush; default ntfy"),
            Option("--require-vapid", help: "refuse pushes without a VAPID key"),
        ],
        openFiles: OpenFileLimit.forServer
    ) { invocation, terminal in
        let name = invocation.value("--server") ?? UnifiedPushSettings.Kind.ntfy.rawValue
        guard let kind = UnifiedPushSettings.Kind(rawValue: name) else {
            throw UsageError(
                "--server takes \(UnifiedPushSettings.Kind.allCases.map(\.rawValue).joined(separator: " or "))")
        }
        let settings = UnifiedPushSettings(kind: kind, requiresVAPID: invocation.has("--require-vapid"))
        let configuration: PushServiceConfiguration<UnifiedPushProvider> = try PushServiceOptions.unifiedPush
            .configuration(invocation, settings: settings)
        return try await PushServiceOptions.unifiedPush.run(configuration, invocation, terminal) {
            EmulateWebPushCommand.announcement("unifiedpush", $0, authorityFile: $1)
        }
    }
}

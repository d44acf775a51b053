internal import ReveilleEmulator
internal import ReveilleJSON
internal import ReveilleNetwork

/// `reveille emulate webpush`: a stand-in for a browser's push service.
enum EmulateWebPushCommand {
    static let command = Command(
        path: ["emulate", "webpush"],
        summary: "run a stand-in for the push service of a browser",
        discussion: """
            Push resources of RFC 8030 with VAPID, over real TLS, HTTP/2 and HTTP/1.1. The control interface makes
            subscriptions, and opens the pushes of those whose keys the emulator holds. The settings that point a server at it
            are printed at the start.
            """,
        options: PushServiceOptions.webPush.options + [
            Option(
                "--habits", "NAME",
                help: "whose answers it gives: rfc, mozilla, google, apple, microsoft; default mozilla")
        ],
        openFiles: OpenFileLimit.forServer
    ) { invocation, terminal in
        let configuration: PushServiceConfiguration<WebPushProvider> = try PushServiceOptions.webPush.configuration(
            invocation, settings: try settings(invocation))
        return try await PushServiceOptions.webPush.run(configuration, invocation, terminal) {
            announcement("webpush", $0, authorityFile: $1)
        }
    }

    static func settings(_ invocation: Invocation) throws(UsageError) -> WebPushSettings {
        let name = invocation.value("--habits") ?? WebPushHabits.mozilla.rawValue
        guard let habits = WebPushHabits(rawValue: name) else {
            throw UsageError("--habits takes \(WebPushHabits.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return WebPushSettings(habits: habits)
    }

    /// An operator's entry lets a server send to endpoints of this machine.
    static func announcement(
        _ kind: String, _ addresses: PushServiceAddresses, authorityFile: String
    ) -> EmulatorAnnouncement {
        EmulatorAnnouncement(
            settings: [
                ("REVEILLE_ENDPOINTS", endpointEntry(kind, addresses)), ("REVEILLE_ENDPOINTS_CA_FILE", authorityFile),
            ],
            facts: [
                "url": .string(addresses.origin), "endpoint_entry": .string(endpointEntry(kind, addresses)),
                "ca_file": .string(authorityFile),
            ])
    }

    /// Kind, host, port and network of an endpoint that policy would refuse.
    static func endpointEntry(_ kind: String, _ addresses: PushServiceAddresses) -> String {
        "\(kind) localhost \(addresses.address.port) 127.0.0.0/8"
    }
}

internal import ReveilleEmulator
internal import ReveilleJSON
internal import ReveilleNetwork
internal import ReveilleTelemetry

/// `reveille emulate apns`: a stand-in for Apple.
enum EmulateAPNsCommand {
    static let command = Command(
        path: ["emulate", "apns"],
        summary: "run a stand-in for Apple's push service",
        discussion: """
            Real TLS and HTTP/2 with a certificate authority of its own, made anew at each start. It checks everything Apple
            would and answers with Apple's reasons. The settings that point a server at it are printed at the start.
            """,
        options: [
            Option("--listen", "ADDRESS:PORT", help: "the production environment; default 127.0.0.1:2197"),
            Option("--sandbox-listen", "ADDRESS:PORT", help: "the sandbox environment; default 127.0.0.1:2198"),
            Option(
                "--control", "ADDRESS:PORT",
                help: "an HTTP interface for faults and records, without credentials; off by default"),
            Option(
                "--ca-file", "FILE", help: "where to write the authority's certificate; default ./apns-emulator-ca.pem"),
            Option("--team-id", "ID", help: "accept only this team's provider tokens (with --key-id and --key-file)"),
            Option("--key-id", "ID", help: "the key id of those tokens (with --team-id and --key-file)"),
            Option("--key-file", "FILE", help: "the .p8 file they are signed with (with --team-id and --key-id)"),
            Option("--unchecked-tokens", help: "accept any bearer text, for load generators that cannot sign"),
            Option("--topic", "BUNDLE-ID", help: "accept only these bundle ids", isRepeatable: true),
            Option("--faults", "FILE", help: "a JSON file of faults in force from the start"),
            Option("--stream-limit", "N", help: "streams at once on a proven connection, 1 to 100000; default 1000"),
            Option("--ids-only", help: "keep only ids of what was accepted, for large runs"), .json,
        ],
        openFiles: OpenFileLimit.forServer
    ) { invocation, terminal in
        let settings = APNsEmulatorSettings(
            emulator: try EmulatorOptions.configuration(invocation),
            control: try invocation.value("--control").map { try EmulatorOptions.address($0, "--control") },
            authorityFile: invocation.value("--ca-file") ?? defaultAuthorityFile)
        try EmulatorOptions.checkPlaces(settings)
        return try await run(settings, json: invocation.has("--json"), terminal)
    }

    static let defaultAuthorityFile = "apns-emulator-ca.pem"

    private static func run(
        _ settings: APNsEmulatorSettings, json: Bool, _ terminal: Terminal
    ) async throws -> ExitStatus {
        let log = Log(level: .info, sink: StandardErrorSink(format: json ? .json : .logfmt), component: "emulator")
        let service = APNsEmulatorService(settings, log: log) { _, addresses in
            announcement(addresses, authorityFile: settings.authorityFile ?? "")
                .print(control: addresses.control, json: json, terminal)
        }
        do {
            try await EmulatorOptions.runUntilSignal([{ try await service.run() }])
        } catch let error as EmulatorError {
            throw EmulatorOptions.failure(error, settings)
        }
        return .success
    }

    static func announcement(_ addresses: APNsEmulatorAddresses, authorityFile: String) -> EmulatorAnnouncement {
        func url(_ environment: AppleEnvironment) -> String {
            "https://localhost:\(addresses.environments[environment]?.port ?? 0)"
        }
        return EmulatorAnnouncement(
            settings: [
                ("REVEILLE_APNS_PRODUCTION_URL", url(.production)), ("REVEILLE_APNS_SANDBOX_URL", url(.sandbox)),
                ("REVEILLE_APNS_CA_FILE", authorityFile),
            ],
            facts: [
                "production": .string(url(.production)), "sandbox": .string(url(.sandbox)),
                "ca_file": .string(authorityFile),
            ])
    }
}

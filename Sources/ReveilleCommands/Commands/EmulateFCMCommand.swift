internal import ReveilleEmulator
internal import ReveilleJSON

/// `reveille emulate fcm`: a stand-in for Google.
enum EmulateFCMCommand {
    static let defaultKeyFile = "fcm-emulator-account.json"
    static let defaultProject = "reveille-emulated"

    static let command = Command(
        path: ["emulate", "fcm"],
        summary: "run a stand-in for Google's FCM and its token endpoint",
        discussion: """
            Real TLS, HTTP/2 and HTTP/1.1 with a certificate authority of its own. It writes a service account with a throw-away
            key, gives access tokens for its assertions and checks every message as FCM does. The settings that point a server
            at it are printed at the start.
            """,
        options: PushServiceOptions.fcm.options + [
            Option("--project", "ID", help: "the project; default \(defaultProject)"),
            Option(
                "--service-account-file", "FILE",
                help: "where to write the service account's key; default ./\(defaultKeyFile)"),
            Option("--token-lifetime", "SECONDS", help: "how long access tokens are good, 1 to 3600; default 3599"),
        ],
        openFiles: OpenFileLimit.forServer
    ) { invocation, terminal in
        let key = try key(invocation)
        let keyFile = invocation.value("--service-account-file") ?? defaultKeyFile
        try EmulatorOptions.checkFile(keyFile, "--service-account-file")
        let lifetime = try invocation.integer("--token-lifetime", in: 1...3600, default: 3599)
        let settings = GoogleSettings(accounts: [key.account], tokenLifetimeSeconds: Int64(lifetime))
        let configuration: PushServiceConfiguration<GoogleProvider> = try PushServiceOptions.fcm.configuration(
            invocation, settings: settings)
        return try await PushServiceOptions.fcm.run(configuration, invocation, terminal) { addresses, authorityFile in
            try key.write(to: keyFile, origin: addresses.origin)
            return announcement(addresses, key, keyFile: keyFile, authorityFile: authorityFile)
        }
    }

    /// An account of the project that was asked for.
    static func key(_ invocation: Invocation) throws(UsageError) -> GoogleServiceAccountKey {
        let project = invocation.value("--project") ?? defaultProject
        let isID = project.utf8.allSatisfy { octet in
            (0x61...0x7A).contains(octet) || (0x30...0x39).contains(octet) || octet == 0x2D
        }
        guard isID, (6...30).contains(project.utf8.count) else {
            throw UsageError("--project takes 6 to 30 small letters, digits and hyphens, as Google's project ids have")
        }
        return GoogleServiceAccountKey(projectID: project)
    }

    static func announcement(
        _ addresses: PushServiceAddresses, _ key: GoogleServiceAccountKey, keyFile: String, authorityFile: String
    ) -> EmulatorAnnouncement {
        EmulatorAnnouncement(
            settings: [
                ("REVEILLE_FCM_SERVICE_ACCOUNT_FILE", keyFile), ("REVEILLE_FCM_URL", addresses.origin),
                ("REVEILLE_FCM_CA_FILE", authorityFile),
            ],
            facts: [
                "url": .string(addresses.origin), "token_uri": .string(addresses.origin + "/token"),
                "project_id": .string(key.account.projectID), "service_account_file": .string(keyFile),
                "ca_file": .string(authorityFile),
            ])
    }
}

internal import Glibc
internal import ReveilleEmulator
internal import ReveilleJSON
internal import ReveilleNetwork
internal import ReveilleRuntime
internal import ReveilleTelemetry

/// `reveille emulate all`: every stand-in in one process, and the settings that point a server at them.
enum EmulateAllCommand {
    static let defaultAuthorityFile = "emulators-ca.pem"

    static let command = Command(
        path: ["emulate", "all"],
        summary: "run stand-ins for Apple, Google, a browser's push service and a UnifiedPush server",
        discussion: """
            Each listens where it does by itself, with its control interface on the port behind. The file of certificates holds
            the authorities of all. The settings that point a server at them are printed when all of them listen.
            """,
        options: [
            Option("--any-ports", help: "let the kernel choose the ports, so that several sets can run at once"),
            Option(
                "--ca-file", "FILE",
                help: "where to write the authorities' certificates; default ./\(defaultAuthorityFile)"),
            Option(
                "--service-account-file", "FILE",
                help: "where to write the service account's key; default ./\(EmulateFCMCommand.defaultKeyFile)"),
            Option("--project", "ID", help: "the FCM project; default \(EmulateFCMCommand.defaultProject)"), .json,
        ],
        openFiles: OpenFileLimit.forServer
    ) { invocation, terminal in
        let authorityFile = invocation.value("--ca-file") ?? defaultAuthorityFile
        try EmulatorOptions.checkFile(authorityFile, "--ca-file")
        let keyFile = invocation.value("--service-account-file") ?? EmulateFCMCommand.defaultKeyFile
        try EmulatorOptions.checkFile(keyFile, "--service-account-file")
        let run = EmulatorSet(
            key: try EmulateFCMCommand.key(invocation), keyFile: keyFile, authorityFile: authorityFile,
            choosesPorts: !invocation.has("--any-ports"), isForMachines: invocation.has("--json"), terminal: terminal)
        do {
            try await run.run()
        } catch let error as EmulatorError {
            throw PushServiceOptions.failure(error)
        }
        return .success
    }
}

/// The stand-ins of one run.
struct EmulatorSet: Sendable {
    /// One of them, as it became ready.
    struct Ready: Sendable {
        let name: String
        let authorityPEM: String
        let announcement: EmulatorAnnouncement
        let endpointEntry: String?
        let control: SocketAddress?
    }

    let key: GoogleServiceAccountKey
    let keyFile: String
    let authorityFile: String
    let choosesPorts: Bool
    let isForMachines: Bool
    let terminal: Terminal
    private let ready = Locked<[Ready]>([])

    init(
        key: GoogleServiceAccountKey, keyFile: String, authorityFile: String, choosesPorts: Bool, isForMachines: Bool,
        terminal: Terminal
    ) {
        self.key = key
        self.keyFile = keyFile
        self.authorityFile = authorityFile
        self.choosesPorts = choosesPorts
        self.isForMachines = isForMachines
        self.terminal = terminal
    }

    /// How many there are.
    private static let count = 4

    func run() async throws {
        try await EmulatorOptions.runUntilSignal([
            { try await apple() },
            {
                try await service(
                    .fcm, settings: GoogleSettings(accounts: [key.account]), type: GoogleProvider.self
                ) { addresses in
                    try key.write(to: keyFile, origin: addresses.origin)
                    let announcement = EmulateFCMCommand.announcement(
                        addresses, key, keyFile: keyFile, authorityFile: authorityFile)
                    return (announcement, nil)
                }
            },
            {
                try await service(.webPush, settings: WebPushSettings(), type: WebPushProvider.self) {
                    endpoints("webpush", $0)
                }
            },
            {
                try await service(.unifiedPush, settings: UnifiedPushSettings(), type: UnifiedPushProvider.self) {
                    endpoints("unifiedpush", $0)
                }
            },
        ])
    }

    private var log: Log {
        Log(level: .info, sink: StandardErrorSink(format: isForMachines ? .json : .logfmt), component: "emulator")
    }

    private func address(_ port: UInt16) -> SocketAddress { .loopback(port: choosesPorts ? port : 0) }

    private func endpoints(_ kind: String, _ addresses: PushServiceAddresses) -> (EmulatorAnnouncement, String?) {
        var announcement = EmulateWebPushCommand.announcement(kind, addresses, authorityFile: authorityFile)
        announcement.settings = []
        return (announcement, EmulateWebPushCommand.endpointEntry(kind, addresses))
    }

    private func service<Provider: PushServiceProvider>(
        _ options: PushServiceOptions, settings: Provider.Settings, type: Provider.Type,
        _ announce: @escaping @Sendable (PushServiceAddresses) throws -> (EmulatorAnnouncement, String?)
    ) async throws {
        let configuration = PushServiceConfiguration<Provider>(
            address: address(options.defaultPort), settings: settings)
        let service = PushServiceEmulatorService(
            configuration, control: address(options.defaultPort + 1), log: log
        ) { emulator, addresses in
            let (announcement, entry) = try announce(addresses)
            try add(
                Ready(
                    name: options.name, authorityPEM: emulator.authorityPEM, announcement: announcement,
                    endpointEntry: entry, control: addresses.control))
        }
        try await service.run()
    }

    private func apple() async throws {
        var configuration = APNsEmulatorConfiguration()
        configuration.addresses = [.production: address(2197), .sandbox: address(2198)]
        let service = APNsEmulatorService(
            APNsEmulatorSettings(emulator: configuration, control: address(2199)), log: log
        ) { emulator, addresses in
            let announcement = EmulateAPNsCommand.announcement(addresses, authorityFile: authorityFile)
            try add(
                Ready(
                    name: "apns", authorityPEM: emulator.authorityPEM, announcement: announcement, endpointEntry: nil,
                    control: addresses.control))
        }
        try await service.run()
    }

    /// Notes that one is ready; the last of them speaks for all.
    private func add(_ one: Ready) throws(EmulatorError) {
        let all = ready.withLock { ready -> [Ready] in
            ready.append(one)
            return ready
        }
        guard all.count == Self.count else { return }
        let sorted = all.sorted { $0.name < $1.name }
        try TextFile.write(sorted.map(\.authorityPEM).joined(), to: authorityFile)
        announce(sorted)
    }

    private func announce(_ all: [Ready]) {
        let entries = all.compactMap(\.endpointEntry)
        if isForMachines {
            var object: JSONObject = ["ca_file": .string(authorityFile), "pid": .integer(Int64(getpid()))]
            for one in all {
                var facts = one.announcement.facts
                facts["control"] = one.control.map { .string("http://\($0.text)") } ?? .null
                object[one.name] = .object(facts)
            }
            return terminal.print(json: .object(object))
        }
        terminal.print("# settings that point a server at these emulators:")
        for one in all {
            for (variable, value) in one.announcement.settings { terminal.print("\(variable)=\(value)") }
        }
        terminal.print("REVEILLE_ENDPOINTS=\(entries.joined(separator: ","))")
        terminal.print("REVEILLE_ENDPOINTS_CA_FILE=\(authorityFile)")
        for one in all {
            if let control = one.control { terminal.print("# control of \(one.name): http://\(control.text)") }
        }
    }
}

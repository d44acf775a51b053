internal import Glibc
internal import ReveilleEmulator
internal import ReveilleJSON
internal import ReveilleNetwork
internal import ReveilleTelemetry

/// What the commands of the emulated push services have in common: options, addresses, a run that a signal ends.
struct PushServiceOptions: Sendable {
    /// The word behind `emulate`.
    let name: String
    /// Where it listens by default.
    let defaultPort: UInt16

    static let fcm = PushServiceOptions(name: "fcm", defaultPort: 2201)
    static let webPush = PushServiceOptions(name: "webpush", defaultPort: 2203)
    static let unifiedPush = PushServiceOptions(name: "unifiedpush", defaultPort: 2205)

    var defaultAuthorityFile: String { "\(name)-emulator-ca.pem" }

    /// The options that all have.
    var options: [Option] {
        [
            Option("--listen", "ADDRESS:PORT", help: "where it listens; default 127.0.0.1:\(defaultPort)"),
            Option(
                "--control", "ADDRESS:PORT",
                help: "an HTTP interface for faults and records, without credentials; off by default"),
            Option(
                "--ca-file", "FILE",
                help: "where to write the authority's certificate; default ./\(defaultAuthorityFile)"),
            Option("--faults", "FILE", help: "a JSON file of faults in force from the start"), .json,
        ]
    }

    /// The configuration that the common options describe.
    func configuration<Provider: PushServiceProvider>(
        _ invocation: Invocation, settings: Provider.Settings
    ) throws -> PushServiceConfiguration<Provider> {
        let address = try EmulatorOptions.address(
            invocation.value("--listen") ?? "127.0.0.1:\(defaultPort)", "--listen")
        var configuration = PushServiceConfiguration<Provider>(address: address, settings: settings)
        if let path = invocation.value("--faults") { configuration.faults = try EmulatorOptions.faults(in: path) }
        return configuration
    }

    /// Runs an emulator until a signal comes.
    ///
    /// `lines` are the settings that point a server at it; `facts` the same for machines.
    func run<Provider: PushServiceProvider>(
        _ configuration: PushServiceConfiguration<Provider>, _ invocation: Invocation, _ terminal: Terminal,
        _ announce: @escaping @Sendable (PushServiceAddresses, _ authorityFile: String) throws -> EmulatorAnnouncement
    ) async throws -> ExitStatus {
        let control = try invocation.value("--control").map { try EmulatorOptions.address($0, "--control") }
        if let control, control.port != 0, control == configuration.address {
            throw UsageError("--listen and --control name the same address; give each one of its own")
        }
        let authorityFile = invocation.value("--ca-file") ?? defaultAuthorityFile
        try EmulatorOptions.checkFile(authorityFile, "--ca-file")
        let isForMachines = invocation.has("--json")
        let log = Log(
            level: .info, sink: StandardErrorSink(format: isForMachines ? .json : .logfmt), component: "emulator")
        let service = PushServiceEmulatorService(
            configuration, control: control, authorityFile: authorityFile, log: log
        ) { _, addresses in
            try announce(addresses, authorityFile).print(control: addresses.control, json: isForMachines, terminal)
        }
        do {
            try await EmulatorOptions.runUntilSignal([{ try await service.run() }])
        } catch let error as EmulatorError {
            throw Self.failure(error)
        }
        return .success
    }

    /// What to tell a person when an emulator cannot run after all.
    static func failure(_ error: EmulatorError) -> CommandFailure {
        switch error.code {
        case .listenFailed:
            CommandFailure(
                "cannot listen on \(error.place); is it an address of this machine, and does another emulator run there?"
            )
        case .fileFailed: CommandFailure("\(error.place) cannot be written", status: .usage)
        case .certificateFailed, .wrongState, .scriptInvalid:
            CommandFailure("the emulator cannot start (\(error.code.rawValue))")
        }
    }
}

/// What an emulator says when it is ready.
struct EmulatorAnnouncement: Sendable {
    /// Settings that point a server at it.
    var settings: [(variable: String, value: String)]
    /// The same for machines.
    var facts: JSONObject

    func print(control: SocketAddress?, json: Bool, _ terminal: Terminal) {
        if json {
            var object = facts
            object["control"] = control.map { .string("http://\($0.text)") } ?? .null
            object["pid"] = .integer(Int64(getpid()))
            terminal.print(json: .object(object))
            return
        }
        terminal.print("# settings that point a server at this emulator:")
        for (variable, value) in settings { terminal.print("\(variable)=\(value)") }
        if let control { terminal.print("# control: http://\(control.text)") }
    }
}

extension EmulatorOptions {
    /// Runs services until a signal comes or one of them cannot go on.
    static func runUntilSignal(_ services: [@Sendable () async throws -> Void]) async throws {
        let signals = StopSignals.stream()
        // Whichever ends first ends the others.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for service in services { group.addTask { try await service() } }
            group.addTask { for await _ in signals { break } }
            _ = try await group.next()
            group.cancelAll()
        }
    }
}

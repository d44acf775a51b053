internal import Glibc
internal import ReveilleJSON
internal import ReveilleNetwork
internal import ReveilleRuntime
internal import ReveilleTelemetry

/// `reveille serve`: the home server.
enum ServeCommand {
    static let command = Command(
        path: ["serve"],
        summary: "run the home server",
        discussion: """
            Settings are taken from flags, then from REVEILLE_* variables, then from the file of --env-file. All of them are
            checked before anything starts. SIGTERM, SIGINT and SIGHUP stop the server gracefully; settings are read at the
            start only.
            """,
        options: HomeSettingDefinitions.all.filter { !$0.isSecret }.map(\.option) + [
            Option("--check", help: "check the settings and end"),
            Option("--json", help: "print the address as a JSON line and log as JSON lines"),
        ],
        openFiles: OpenFileLimit.forServer
    ) { invocation, terminal in
        let settings = try HomeSettings.read(SettingsSource.gather(invocation))
        CrashReports.turnOff(environment: SettingsSource.processEnvironment())
        for warning in settings.warnings { terminal.note("reveille: warning: \(warning)") }
        if invocation.has("--check") {
            terminal.print("the settings are complete")
            return .success
        }
        return try await run(settings, json: invocation.has("--json"), terminal)
    }

    private static func run(_ settings: HomeSettings, json: Bool, _ terminal: Terminal) async throws -> ExitStatus {
        let sink = ThrottlingSink(StandardErrorSink(format: json ? .json : .logfmt), clock: SystemMonotonicClock())
        let log = Log(level: settings.logLevel, sink: sink, component: "reveille")
        // Before the start, so that a signal that comes meanwhile is not lost.
        let signals = StopSignals.stream()
        let server = try await HomeServer.start(settings, log: log)
        let scheme = settings.tls == nil ? "http" : "https"
        if json {
            terminal.print(json: [
                "url": .string("\(scheme)://\(server.address.text)"), "pid": .integer(Int64(getpid())),
            ])
        } else {
            terminal.print("listening on \(scheme)://\(server.address.text)")
        }
        for await _ in signals { break }
        await server.stop()
        return .success
    }
}

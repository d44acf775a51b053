internal import ReveilleTelemetry

/// `reveille demo`: one notification on its whole way, offline.
package enum DemoCommand {
    static let command = Command(
        path: ["demo"],
        summary: "show one notification on its whole way, offline",
        discussion: """
            Starts an emulated Apple and a home server on loopback with a temporary store, registers an iPhone and a Mac, posts
            a notification and shows what each party saw. Ends with status 1 and the name of the step when one does not come
            out. Without --once the servers stay until Ctrl-C, for a look around.
            """,
        options: [Option("--once", help: "end after the last step")], openFiles: OpenFileLimit.forServer
    ) { invocation, terminal in
        try await run(keepRunning: !invocation.has("--once"), terminal: terminal)
    }

    /// Runs the demo; `sabotage` is for tests of the demo itself.
    package static func run(
        keepRunning: Bool, terminal: Terminal, sabotage: DemoSabotage = .none
    ) async throws -> ExitStatus {
        let signals = keepRunning ? StopSignals.stream() : nil
        let log = Log(level: .error, sink: StandardErrorSink(format: .logfmt), component: "demo")
        let world = try await DemoWorld.start(log: log, sabotage: sabotage)
        let status: ExitStatus
        do {
            try await Demo(world: world, terminal: terminal, sabotage: sabotage).run()
            status = .success
        } catch let failure as DemoFailure {
            terminal.note("reveille: the demo failed at step '\(failure.step.rawValue)': \(failure.reason)")
            status = .failure
        }
        if status == .success, let signals {
            terminal.print("The servers go on until Ctrl-C: \(world.url)")
            for await _ in signals { break }
        }
        await world.stop()
        return status
    }
}

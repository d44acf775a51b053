internal import ReveilleRuntime
package import ReveilleTelemetry

/// The emulated Apple as a process runs it: script file, certificate file, control interface.
package struct APNsEmulatorService: Service {
    /// The first words of the control interface's paths.
    package static var controlPaths: [String] {
        AppleControl.paths.union(ControlHandler<APNsEmulator>.ownPaths).sorted()
    }

    private let settings: APNsEmulatorSettings
    private let log: Log
    private let onReady: @Sendable (APNsEmulator, APNsEmulatorAddresses) async throws -> Void

    /// Describes a service.
    ///
    /// - Parameters:
    ///   - settings: How to run.
    ///   - log: Hears where the emulator listens.
    ///   - onReady: Called once, when everything listens and the certificate is written.
    package init(
        _ settings: APNsEmulatorSettings, log: Log,
        onReady: @escaping @Sendable (APNsEmulator, APNsEmulatorAddresses) async throws -> Void = { _, _ in }
    ) {
        self.settings = settings
        self.log = log
        self.onReady = onReady
    }

    /// Runs until the task is cancelled.
    ///
    /// - Throws: `EmulatorError` when it cannot run: the script, a file, an address.
    package func run() async throws {
        var configuration = settings.emulator
        if let scriptFile = settings.scriptFile {
            configuration.faults += try EmulatorRun<APNsEmulator>.faults(in: scriptFile)
        }
        let emulator = try APNsEmulator(configuration, log: log)
        let run = EmulatorRun(
            emulator: emulator, control: settings.control, authorityFile: settings.authorityFile, log: log)
        try await run.run { control in
            try await onReady(emulator, APNsEmulatorAddresses(environments: emulator.addresses, control: control))
        }
    }
}

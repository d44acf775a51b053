internal import ReveilleJSON
package import ReveilleNetwork
internal import ReveilleRuntime
package import ReveilleTelemetry

/// The emulated Apple as a process runs it: script file, certificate file, control interface.
package struct APNsEmulatorService: Service {
    /// The largest script, in bytes: room for the most faults there may be.
    static let maximumScriptBytes = 1024 * 1024
    /// How long requests to the control interface may take when the service ends.
    private static let drainTime = Duration.seconds(2)

    /// The first words of the control interface's paths.
    package static var controlPaths: [String] { AppleControl.paths.union(AppleControlHandler.ownPaths).sorted() }

    private let settings: APNsEmulatorSettings
    private let log: Log
    private let onReady: @Sendable (APNsEmulatorAddresses) async -> Void

    /// Describes a service.
    ///
    /// - Parameters:
    ///   - settings: How to run.
    ///   - log: Hears where the emulator listens.
    ///   - onReady: Called once, when everything listens and the certificate is written.
    package init(
        _ settings: APNsEmulatorSettings, log: Log,
        onReady: @escaping @Sendable (APNsEmulatorAddresses) async -> Void = { _ in }
    ) {
        self.settings = settings
        self.log = log
        self.onReady = onReady
    }

    /// Runs until the task is cancelled.
    ///
    /// - Throws: `APNsEmulatorError` when it cannot run: the script, a file, an address.
    package func run() async throws {
        var configuration = settings.emulator
        if let scriptFile = settings.scriptFile {
            configuration.faults += try Self.faults(in: scriptFile)
        }
        let emulator = try APNsEmulator(configuration, log: log)
        try emulator.start()
        do {
            let control = try await startControl(of: emulator)
            do {
                try await serve(emulator, control: control?.address)
            } catch {
                await control?.server.drain(within: .zero)
                throw error
            }
            await control?.server.drain(within: Self.drainTime)
        } catch {
            await emulator.stop()
            throw error
        }
        await emulator.stop()
    }

    /// Tells the others that everything listens, and waits for the end of the task.
    private func serve(_ emulator: APNsEmulator, control: SocketAddress?) async throws(APNsEmulatorError) {
        // Only now: the file may be another emulator's, which goes on if this one cannot listen.
        if let file = settings.authorityFile { try TextFile.write(emulator.authorityPEM, to: file) }
        await onReady(APNsEmulatorAddresses(environments: emulator.addresses, control: control))
        // Only the end of the task ends the wait.
        try? await OneShot<Void>().wait()
    }

    private func startControl(
        of emulator: APNsEmulator
    ) async throws(APNsEmulatorError) -> (server: HTTPServer, address: SocketAddress)? {
        guard let address = settings.control else { return nil }
        let server = emulator.makeControlServer(on: address, log: log)
        do throws(SystemError) {
            return (server, try await server.start())
        } catch {
            throw APNsEmulatorError(.listenFailed, address.text)
        }
    }

    private static func faults(in file: String) throws(APNsEmulatorError) -> [AppleFault] {
        let bytes = try TextFile.read(file, maximumBytes: maximumScriptBytes)
        do {
            return try AppleFault.script(try JSONReader.parse(bytes))
        } catch let error as JSONFieldError {
            throw APNsEmulatorError(.scriptInvalid, "\(error.field) \(error.explanation)")
        } catch let error as JSONError {
            throw APNsEmulatorError(.scriptInvalid, "no JSON from byte \(error.offset) on")
        } catch {
            throw APNsEmulatorError(.scriptInvalid)
        }
    }
}

extension APNsEmulator {
    /// A server of the control interface, on the emulator's own thread.
    ///
    /// It has no credentials: give it an address of the loopback interface. Drain it before the emulator is stopped.
    package func makeControlServer(on address: SocketAddress, log: Log = .silent) -> HTTPServer {
        var limits = HTTPServerLimits()
        limits.maximumBodyBytes = APNsEmulatorService.maximumScriptBytes
        return HTTPServer(
            configuration: HTTPServerConfiguration(address: address, limits: limits),
            loops: [host.loop], handler: AppleControlHandler(emulator: self),
            errorResponse: { status, code in
                HTTPResponse(
                    status: status, fields: ["content-type": "application/json"],
                    body: .bytes(ControlAnswer.error(status, code).body))
            }, log: log.scoped("control"))
    }
}

internal import ReveilleJSON
internal import ReveilleNetwork
internal import ReveilleRuntime
internal import ReveilleTelemetry

/// An emulator as a process runs it: with a file for its certificate and a control interface.
struct EmulatorRun<E: Emulator> {
    /// The largest script, in bytes: room for the most faults there may be.
    static var maximumScriptBytes: Int { 1024 * 1024 }
    /// How long requests to the control interface may take when the run ends.
    private static var drainTime: Duration { .seconds(2) }

    let emulator: E
    /// Where the control interface listens; nil for none.
    let control: SocketAddress?
    /// A file to write the authority's certificate to.
    let authorityFile: String?
    let log: Log

    /// Runs until the task is cancelled; `onReady` hears when everything listens and the certificate is written.
    func run(_ onReady: (_ control: SocketAddress?) async throws -> Void) async throws {
        try await emulator.start()
        do {
            let control = try await startControl()
            do {
                // Only now: the file may be another emulator's, which goes on if this one cannot listen.
                if let authorityFile { try TextFile.write(emulator.authorityPEM, to: authorityFile) }
                try await onReady(control?.address)
                // Only the end of the task ends the wait.
                try? await OneShot<Void>().wait()
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

    private func startControl() async throws(EmulatorError) -> (server: HTTPServer, address: SocketAddress)? {
        guard let control else { return nil }
        let server = emulator.makeControlServer(on: control, log: log)
        do throws(SystemError) {
            return (server, try await server.start())
        } catch {
            throw EmulatorError(.listenFailed, control.text)
        }
    }

    /// The faults of a script file.
    static func faults<Fault: ScriptedFault>(in file: String) throws(EmulatorError) -> [Fault] {
        let bytes = try TextFile.read(file, maximumBytes: maximumScriptBytes)
        do {
            return try Fault.script(try JSONReader.parse(bytes))
        } catch let error as JSONFieldError {
            throw EmulatorError(.scriptInvalid, "\(error.field) \(error.explanation)")
        } catch let error as JSONError {
            throw EmulatorError(.scriptInvalid, "no JSON from byte \(error.offset) on")
        } catch {
            throw EmulatorError(.scriptInvalid)
        }
    }
}

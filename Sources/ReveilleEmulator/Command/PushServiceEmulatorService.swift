internal import ReveilleBytes
package import ReveilleNetwork
internal import ReveilleRuntime
package import ReveilleTelemetry

/// Where a running push service is reached.
package struct PushServiceAddresses: Sendable, Equatable {
    /// The service's origin, with a name that is in its certificate.
    package let origin: String
    /// Where it listens.
    package let address: SocketAddress
    /// The control interface.
    package let control: SocketAddress?
}

/// An emulated push service as a process runs it: certificate file, control interface.
package struct PushServiceEmulatorService<Provider: PushServiceProvider>: Service {
    private let configuration: PushServiceConfiguration<Provider>
    private let control: SocketAddress?
    private let authorityFile: String?
    private let log: Log
    private let onReady: @Sendable (PushServiceEmulator<Provider>, PushServiceAddresses) async throws -> Void

    /// Describes a service.
    ///
    /// - Parameters:
    ///   - configuration: How the emulator behaves.
    ///   - control: Where the control interface listens; nil for none. It has no credentials: loopback only.
    ///   - authorityFile: A file to write the authority's certificate to.
    ///   - log: Hears where the emulator listens.
    ///   - onReady: Called once, when everything listens and the certificate is written; what it throws ends the run.
    package init(
        _ configuration: PushServiceConfiguration<Provider>, control: SocketAddress? = nil,
        authorityFile: String? = nil,
        log: Log,
        onReady: @escaping @Sendable (PushServiceEmulator<Provider>, PushServiceAddresses) async throws -> Void = {
            _, _ in
        }
    ) {
        self.configuration = configuration
        self.control = control
        self.authorityFile = authorityFile
        self.log = log
        self.onReady = onReady
    }

    /// Runs until the task is cancelled.
    ///
    /// - Throws: `EmulatorError` when it cannot run: a file, an address.
    package func run() async throws {
        let emulator = try PushServiceEmulator<Provider>(configuration, log: log)
        let run = EmulatorRun(emulator: emulator, control: control, authorityFile: authorityFile, log: log)
        try await run.run { control in
            guard let address = emulator.address else { throw EmulatorError(.wrongState) }
            try await onReady(
                emulator, PushServiceAddresses(origin: emulator.origin, address: address, control: control))
        }
    }
}

extension GoogleServiceAccountKey {
    /// Writes the key file for a server that sends to the emulated FCM at this origin; only its owner may read it.
    package func write(to path: String, origin: String) throws(EmulatorError) {
        try TextFile.write(file(tokenURI: origin + "/token").reveal(), to: path, mode: 0o600)
    }
}

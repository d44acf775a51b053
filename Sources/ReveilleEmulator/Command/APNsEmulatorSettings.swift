package import ReveilleNetwork

/// How `reveille emulate apns` runs the emulator.
package struct APNsEmulatorSettings: Sendable {
    /// How the emulated Apple behaves.
    package var emulator: APNsEmulatorConfiguration
    /// Where the control interface listens; nil for none.
    ///
    /// It has no credentials: loopback only.
    package var control: SocketAddress?
    /// A file to write the authority's certificate to, for senders to trust.
    package var authorityFile: String?
    /// A file with faults that are in force from the start.
    package var scriptFile: String?

    /// Describes a run.
    package init(
        emulator: APNsEmulatorConfiguration = APNsEmulatorConfiguration(),
        control: SocketAddress? = nil, authorityFile: String? = nil, scriptFile: String? = nil
    ) {
        self.emulator = emulator
        self.control = control
        self.authorityFile = authorityFile
        self.scriptFile = scriptFile
    }
}

/// Where a running emulator is reached.
package struct APNsEmulatorAddresses: Sendable, Equatable {
    /// Each environment that listens.
    package let environments: [AppleEnvironment: SocketAddress]
    /// The control interface.
    package let control: SocketAddress?
}

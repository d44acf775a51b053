/// What makes two wakes share a queue, connections, pacing and health.
///
/// The credential is named by its slot in the settings, not by its key id: a rotated key serves the
/// wakes that waited for its predecessor.
package struct LaneKey: Hashable, Sendable {
    /// The push service.
    package let provider: ProviderKind
    /// The environment at the provider.
    package let environment: APNsEnvironment
    /// The slot of the credential in the settings.
    package let credential: String

    /// The slot of the home server's own APNs key.
    package static let ownCredential = "own"

    /// Names a lane.
    package init(
        provider: ProviderKind, environment: APNsEnvironment,
        credential: String = Self.ownCredential
    ) {
        self.provider = provider
        self.environment = environment
        self.credential = credential
    }
}

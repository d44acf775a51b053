package import ReveilleCore
package import ReveilleTelemetry

/// How one provider is spoken to: what a request looks like, what it is sent with, and what an answer means.
///
/// A ``ConnectionSet`` keeps the connections of a lane and knows none of this. Belongs to the set, on whose loop everything is
/// called; nothing may block.
package protocol ProviderForm: AnyObject {
    /// What does not change; read once.
    var traits: ProviderTraits { get }

    /// Whether there is something to send with.
    ///
    /// Asked before a connection is opened and before each run of requests; may begin to fetch a credential.
    func credential() -> CredentialState

    /// The set is there.
    ///
    /// - Parameter changed: To be called when ``credential()`` would say something else than it did.
    func start(_ changed: @escaping () -> Void)

    /// No more tries are taken: what is fetched is of no use any more.
    func stop()

    /// Makes the memory of one stream's try.
    func makeBuffer() -> TryBuffer

    /// Makes what a new connection needs for its requests.
    ///
    /// - Parameter streams: The numbers of its streams' rooms are below this one.
    func makeRequests(streams: Int) -> any ProviderRequests

    /// The provider's word for what keeps requests from being sent.
    func word(for fault: ConnectionFault) -> ProviderReason

    /// The provider's word for a try that brought no answer; called once for each.
    func word(for end: UnansweredEnd) -> ProviderReason

    /// What the log says of the debug data of a GOAWAY: a word of the provider's closed list.
    func reason(inGoAway debugData: UnsafeRawBufferPointer) -> LogValue
}

extension ProviderForm {
    package func start(_ changed: @escaping () -> Void) {}
    package func stop() {}
    package func reason(inGoAway debugData: UnsafeRawBufferPointer) -> LogValue { .literal("none") }
}

/// What of a provider is the same for every lane and does not change.
package struct ProviderTraits {
    /// The component that log lines name.
    package let component: StaticString
    /// The response fields whose values are kept, at most four of them.
    package let watchedFields: [StaticString]
    /// Whether a connection carries one request alone until the provider has taken its credential.
    package let firstRequestGoesAlone: Bool
    /// Whether the name of the host may be logged: not where it is a user's own.
    package let namesHost: Bool

    /// Describes a provider.
    package init(
        component: StaticString, watchedFields: [StaticString], firstRequestGoesAlone: Bool = false,
        namesHost: Bool = true
    ) {
        self.component = component
        self.watchedFields = watchedFields
        self.firstRequestGoesAlone = firstRequestGoesAlone
        self.namesHost = namesHost
    }
}

/// Whether there is something to send with.
package enum CredentialState: Sendable {
    /// Requests can be made.
    case present
    /// It is being fetched: tries stay with the lane, which hears that connections are opening.
    case waiting
    /// It could not be fetched, and a pause is under way: the lane hears that the provider cannot be reached.
    case failing(ProviderReason)
    /// An operator must act: one try at a time ends as misconfigured, unsent, so that the lane pauses and asks again with its probes.
    case refused(ProviderReason)
}

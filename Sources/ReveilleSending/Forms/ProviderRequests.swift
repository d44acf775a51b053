package import ReveilleCore
package import ReveilleHTTP2

/// The requests of one connection: written from tries, and read back as ends of tries.
///
/// The hot path of a sender: nothing here may allocate for each request.
package protocol ProviderRequests: AnyObject {
    /// Requests will be made: called once before each run of them, when there is a credential.
    ///
    /// What requests refer to is kept as long as this object lives.
    func takeCredential()

    /// Writes a try's request into a stream's room.
    ///
    /// Everything that the room refers to stays where it is until the stream has ended. Whether the try is good is decided before the
    /// first field is added.
    ///
    /// - Returns: nil, or how the try ends that must not be sent.
    func fill(_ stream: HTTP2ClientStream, from buffer: TryBuffer) -> TryEnd?

    /// Whether the provider took the request.
    func isAccepted(_ stream: HTTP2ClientStream) -> Bool

    /// What the end of a stream means that is not acceptance; nil when it is no answer of the provider's.
    ///
    /// A status may be there although the stream was reset, as after a body that was too long.
    func read(_ stream: HTTP2ClientStream, of buffer: TryBuffer) -> TryEnd?
}

/// How a try ended, and what that says of the connection that carried it.
package struct TryEnd: Sendable {
    package let result: TryResult
    /// Whether the answer shows that the provider took the credential.
    package let provesCredential: Bool
    /// Whether the connection takes no more requests.
    package let retiresConnection: Bool
    /// Whether the credential is refused for good: no connection of the lane that was made with it is used any more.
    package let refusesCredential: Bool

    /// Describes an end.
    package init(
        _ result: TryResult, provesCredential: Bool = false, retiresConnection: Bool = false,
        refusesCredential: Bool = false
    ) {
        self.result = result
        self.provesCredential = provesCredential
        self.retiresConnection = retiresConnection
        self.refusesCredential = refusesCredential
    }

    /// A try that is wrong in itself, or cannot be sent with what there is.
    package static func unsent(_ outcome: Outcome) -> TryEnd {
        TryEnd(TryResult(outcome: outcome, status: 0, mayHaveLeft: false))
    }
}

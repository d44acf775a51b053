import ReveilleCore
import ReveilleHTTP2
import ReveilleRuntime
import ReveilleSending
import ReveilleTelemetry

/// The plainest provider: posts payloads to one path, takes 201 for acceptance and every other status for a refusal.
final class TestForm: ProviderForm {
    let traits = ProviderTraits(component: "test", watchedFields: [], namesHost: false)
    private let path = HeaderText("/push")
    private let authority: HeaderText

    init(authority: String) { self.authority = HeaderText(authority) }

    func credential() -> CredentialState { .present }

    func makeBuffer() -> TryBuffer { TryBuffer() }

    func makeRequests(streams: Int) -> any ProviderRequests { TestRequests(authority: authority, path: path) }

    func word(for fault: ConnectionFault) -> ProviderReason {
        switch fault {
        case .notConnected: ProviderReason("NotConnected")
        case .wrongProtocol: ProviderReason("WrongProtocol")
        case .noStreams: ProviderReason("NoStreams")
        }
    }

    func word(for end: UnansweredEnd) -> ProviderReason { ProviderReason("NoAnswer") }
}

private final class TestRequests: ProviderRequests {
    private let authority: HeaderText
    private let path: HeaderText

    init(authority: HeaderText, path: HeaderText) {
        self.authority = authority
        self.path = path
    }

    func takeCredential() {}

    func fill(_ stream: HTTP2ClientStream, from buffer: TryBuffer) -> TryEnd? {
        stream.add(":method", "POST")
        stream.add(":scheme", "https")
        stream.add(":authority", authority.start, count: authority.count, .indexed)
        stream.add(":path", path.start, count: path.count, .indexed)
        stream.setBody(UnsafeRawBufferPointer(start: buffer.payload.baseAddress, count: buffer.payloadCount))
        return nil
    }

    func isAccepted(_ stream: HTTP2ClientStream) -> Bool { stream.end == .answered && stream.status == 201 }

    func read(_ stream: HTTP2ClientStream, of buffer: TryBuffer) -> TryEnd? {
        guard stream.status != 0 else { return nil }
        return TryEnd(TryResult(outcome: .refused(reason: ProviderReason("Refused")), status: stream.status))
    }
}

import ReveilleBytes
import ReveilleCore
import ReveilleCrypto
import ReveilleEndpoints
import ReveilleNetwork
import ReveilleRuntime
import ReveilleSending
import ReveilleTLS
import ReveilleTelemetry
import ReveilleTesting
import ReveilleWebPush
import Testing

/// A receiver: the keys of a subscription, the private ones too.
struct Receiver: Sendable {
    let pair = P256PrivateKey.generate()
    let secret = SecureRandom.bytes(16)

    /// The octets of the subscription at an endpoint, as a lane writes them.
    func subscription(_ endpoint: String) -> [UInt8] {
        PushSubscription(endpoint: endpoint, publicKey: pair.publicKey.x963, secret: secret)?.octets ?? []
    }

    /// The text of a message, padding taken off, and how much of it there was; nil when the message is none.
    ///
    /// Counter mode decrypts what it encrypted; that tags are right the vectors show.
    func open(_ message: [UInt8]) throws -> (text: String, padding: Int) {
        let point = Array(message[21..<86])
        var (own, shared) = ([UInt8](repeating: 0, count: 65), [UInt8](repeating: 0, count: 32))
        let scalar = pair.rawScalar
        try own.withUnsafeMutableBytes { own in
            try shared.withUnsafeMutableBytes { shared in
                try point.withUnsafeBytes {
                    try P256Agreement().agree(with: $0, scalar: scalar, ownPoint: own, sharedSecret: shared)
                }
            }
        }
        let combined = HMACSHA256(key: SecretBytes(secret)).authenticate(shared)
        let info = Array("WebPush: info\0".utf8) + own + point + [1]
        let input = HMACSHA256(key: SecretBytes(combined)).authenticate(info)
        let extracted = HMACSHA256(key: SecretBytes(Array(message[..<16]))).authenticate(input)
        let code = HMACSHA256(key: SecretBytes(extracted))
        let key = code.authenticate(Array("Content-Encoding: aes128gcm\0\u{1}".utf8)).prefix(16)
        let nonce = code.authenticate(Array("Content-Encoding: nonce\0\u{1}".utf8)).prefix(12)
        var record = Array(message[86...].dropLast(16))
        var tag = [UInt8](repeating: 0, count: 16)
        record.withUnsafeMutableBytes { record in
            tag.withUnsafeMutableBytes { tag in
                Array(key).withUnsafeBytes { key in
                    Array(nonce).withUnsafeBytes { AESGCM128().seal(record, tag: tag, key: key, nonce: $0) }
                }
            }
        }
        let padding = record.reversed().prefix { $0 == 0 }.count
        guard record.dropLast(padding).last == 2 else { throw CryptoError(.malformedInput) }
        return (String(decoding: record.dropLast(padding + 1), as: UTF8.self), padding)
    }
}

/// A try that a test hands to a sender.
struct PushTry: Sendable {
    var tag: UInt64
    var address: [UInt8]
    var payload = #"{"v":1,"wake":"notifications.changed"}"#
    var mode = WakeMode.privateAlert
    var topic = ""
    var expirationSeconds: Int64

    func write(into buffer: TryBuffer) {
        for (index, octet) in address.enumerated() { buffer.address[index] = octet }
        buffer.addressCount = address.count
        for (index, octet) in topic.utf8.enumerated() { buffer.collapse[index] = octet }
        buffer.collapseCount = topic.utf8.count
        let id = String(repeating: "0", count: 36 - String(tag).count) + String(tag)
        for (index, octet) in id.utf8.enumerated() { buffer.requestID[index] = octet }
        buffer.reservePayload(octets: payload.utf8.count)
        _ = buffer.payload.update(fromContentsOf: Array(payload.utf8))
        buffer.payloadCount = payload.utf8.count
        buffer.expirationSeconds = expirationSeconds
        buffer.mode = mode
        buffer.tag = tag
        buffer.leaseUntilMilliseconds = .max
    }
}

/// How a try ended.
struct PushEnd: Sendable {
    let tag: UInt64
    let result: TryResult
    var outcome: ReveilleCore.Outcome { result.outcome }
}

/// A lane to one push service with its sender, on a loop whose clock stands still until the test moves it.
actor PushLane {
    nonisolated let loop: EventLoop
    nonisolated let ended = Probe<[PushEnd]>([])
    nonisolated let states = Probe<[SenderState]>([])
    nonisolated let registry = MetricsRegistry()
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private let source: Source
    private var sender: PushSender?

    init(on loop: EventLoop) {
        self.loop = loop
        source = Source(ended: ended, states: states)
    }

    func open(
        _ origin: String, kind: EndpointKind, policy: EndpointPolicy, authorityPEM: String, tokens: VAPIDTokens,
        resolver: any Resolver, clock: ManualClock
    ) throws {
        var tls = PushSenderConfiguration.tlsConfiguration()
        tls.extraAuthorityPEM = authorityPEM
        tls.trustsSystemRoots = false
        var configuration = try PushSenderConfiguration(
            origin: origin, kind: kind, policy: policy, tls: try TLSContext(client: tls))
        // Time passes faster here than answers to PING can come.
        configuration.sending.limits.pulse.idle = .seconds(86_400)
        sender = PushSender(
            configuration: configuration, tokens: tokens, source: source, loop: loop, resolver: resolver, log: .silent,
            metrics: PushMetrics(registry, kind: kind), wallClock: clock, random: SeededRandom(seed: 7))
    }

    func send(_ tries: [PushTry]) {
        source.waiting += tries
        sender?.triesAreWaiting()
    }

    var unsent: Int { source.waiting.count }

    func startDrain() -> Task<Void, Never> { Task { await sender?.drain(within: .seconds(1)) } }

    /// How a try ended.
    nonisolated func end(of tag: UInt64, after earlier: Int = 0) async throws -> TryResult {
        let all = try await ended.wait { $0.count { $0.tag == tag } > earlier }
        guard let end = all.last(where: { $0.tag == tag }) else { throw CancellationError() }
        return end.result
    }

    /// Waits for the end of a try, which must be this one.
    nonisolated func expect(
        _ outcome: ReveilleCore.Outcome, of tag: UInt64, after earlier: Int = 0,
        at location: SourceLocation = #_sourceLocation
    ) async throws {
        let result = try await end(of: tag, after: earlier)
        #expect(result.outcome == outcome, sourceLocation: location)
    }

    private final class Source: TrySource {
        var waiting: [PushTry] = []
        private let ended: Probe<[PushEnd]>
        private let states: Probe<[SenderState]>

        init(ended: Probe<[PushEnd]>, states: Probe<[SenderState]>) {
            self.ended = ended
            self.states = states
        }

        func hasTry(of standing: TokenStanding) -> Bool { standing == .proven && !waiting.isEmpty }

        func nextTry(of standing: TokenStanding, into buffer: TryBuffer) -> Bool {
            guard hasTry(of: standing) else { return false }
            waiting.removeFirst().write(into: buffer)
            return true
        }

        func tryDidEnd(tag: UInt64, result: TryResult) { ended.append(PushEnd(tag: tag, result: result)) }
        func senderDidChange(_ state: SenderState) { states.append(state) }
    }
}

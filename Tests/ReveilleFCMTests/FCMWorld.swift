import LaneTesting
import ReveilleCore
import ReveilleFCM
import ReveilleNetwork
import ReveilleRuntime
import ReveilleSending
import ReveilleTLS
import ReveilleTelemetry
import ReveilleTesting

/// The token endpoint as a test wants it: what it answers, and how often it was asked.
final class ScriptedExchange: Sendable {
    let asked = Probe<[ClientRequest]>([])
    private let isHolding = Probe(false)
    private let answer = Locked<@Sendable (Int) throws(ClientError) -> ClientResponse>({ number in
        ScriptedExchange.token("token-\(number)")
    })

    /// An answer with a token.
    static func token(_ text: String, life: Int = 3_600) -> ClientResponse {
        response(200, #"{"access_token":"\#(text)","expires_in":\#(life),"token_type":"Bearer"}"#)
    }

    static func response(_ status: Int, _ body: String) -> ClientResponse {
        ClientResponse(status: status, body: Array(body.utf8))
    }

    /// Answers from now on in this way; questions are numbered from 1.
    func answer(_ answer: @escaping @Sendable (Int) throws(ClientError) -> ClientResponse) {
        self.answer.withLock { $0 = answer }
    }

    /// Lets questions wait.
    func hold() { isHolding.update { $0 = true } }

    /// Answers those that wait.
    func release() { isHolding.update { $0 = false } }

    var exchange: TokenExchange {
        { [self] request async throws(ClientError) in
            asked.append(request)
            let number = asked.value.count
            _ = try? await isHolding.wait { !$0 }
            return try answer.withLock { $0 }(number)
        }
    }
}

/// A sender on a loop whose clock stands still until the test moves it, in front of a scripted FCM.
actor FCMWorld {
    nonisolated let loop: EventLoop
    nonisolated let clock: ManualClock
    nonisolated let google: ScriptedServer
    nonisolated let oauth = ScriptedExchange()
    nonisolated let resolver: ScriptedResolver
    nonisolated let ended = Probe<[ScriptedEnd]>([])
    nonisolated let states = Probe<[SenderState]>([])
    nonisolated let metrics = MetricsRegistry()
    private var lane: ScriptedLane?
    private var sender: FCMSender?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(loop: EventLoop, clock: ManualClock, google: ScriptedServer) {
        self.loop = loop
        self.clock = clock
        self.google = google
        resolver = ScriptedResolver([google.address])
    }

    func makeSender(_ change: @Sendable (inout SendingConfiguration) -> Void) throws {
        let tls = try TLSContext(
            client: TLSClientConfiguration(
                alpn: ["h2"], extraAuthorityPEM: google.authorityPEM, trustsSystemRoots: false))
        var configuration = FCMSender.configuration(tls: tls)
        configuration.connections = 1
        change(&configuration)
        let lane = ScriptedLane(ended: ended, states: states)
        self.lane = lane
        sender = FCMSender(
            configuration: configuration, account: try ServiceAccounts.account(), source: lane, loop: loop,
            resolver: resolver, exchange: oauth.exchange, log: .silent, metrics: FCMMetrics(metrics),
            wallClock: clock, random: SeededRandom(seed: 7))
    }

    /// Puts tries into the lane and tells the sender.
    func send(_ tries: [ScriptedTry]) {
        lane?.add(tries)
        sender?.triesAreWaiting()
    }

    /// Tells the sender of tries without new ones, as a lane's probe does.
    func probe() { sender?.triesAreWaiting() }

    var unsent: Int { lane?.unsent ?? 0 }
    var requestDeadlineSeconds: Int64 { sender?.requestDeadlineSeconds ?? 0 }

    /// Begins to drain; what is put into the loop afterwards comes after the beginning.
    func startDrain(within limit: Duration) -> Task<Void, Never> {
        Task { await sender?.drain(within: limit) }
    }

    // MARK: Waiting

    /// Waits until so many tries have ended, and returns their ends by tag.
    @discardableResult
    nonisolated func ends(_ count: Int) async throws -> [UInt64: TryResult] {
        let all = try await ended.wait { $0.count >= count }
        return Dictionary(all.map { ($0.tag, $0.result) }, uniquingKeysWith: { _, last in last })
    }

    /// Waits for the end of a try.
    nonisolated func end(of tag: Int) async throws -> TryResult {
        let all = try await ended.wait { $0.contains { $0.tag == UInt64(tag) } }
        guard let found = all.first(where: { $0.tag == UInt64(tag) }) else { throw CancellationError() }
        return found.result
    }

    /// Moves both clocks and lets the loop act on it.
    nonisolated func advance(by duration: Duration) async {
        clock.advance(by: duration)
        await loop.settle()
    }

    /// The value of a series.
    nonisolated func count(_ series: String) -> Int {
        let line = metrics.prometheusText().split(separator: "\n").first { $0.hasPrefix(series + " ") }
        return line.flatMap { $0.split(separator: " ").last }.flatMap { Int($0) } ?? -1
    }
}

/// An answer that names an accepted message.
let acceptedMessage = ScriptedReply(200, "{\n  \"name\": \"projects/p/messages/0:1\"\n}\n")

/// An error of Google's.
func googleError(_ code: Int, _ status: String, details: String = "", fields: [(String, String)] = []) -> ScriptedReply
{
    ScriptedReply(
        code, #"{"error":{"code":\#(code),"message":"text","status":"\#(status)","details":[\#(details)]}}"#,
        fields: fields)
}

/// A detail with an error code of FCM's.
func fcmError(_ code: String) -> String {
    #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\#(code)"}"#
}

/// A detail that blames a field.
func violation(_ field: String) -> String {
    #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"\#(field)"}]}"#
}

/// Runs a sender in front of a scripted FCM for the time of `body`.
func withFCM(
    _ change: @escaping @Sendable (inout SendingConfiguration) -> Void = { _ in },
    offering protocols: [String] = ["h2"],
    _ body: (FCMWorld) async throws -> Void
) async throws {
    let clock = ManualClock()
    try await withEventLoop(name: "google") { serving in
        let google = try ScriptedServer(on: serving, names: [FCMSender.host], offering: protocols)
        google.answer { _ in acceptedMessage }
        try await google.start()
        try await withEventLoop(name: "sender", clock: clock) { loop in
            let world = FCMWorld(loop: loop, clock: clock, google: google)
            try await world.makeSender(change)
            let result: Result<Void, any Error>
            do { result = .success(try await body(world)) } catch { result = .failure(error) }
            world.oauth.release()
            google.release()
            let drain = await world.startDrain(within: .seconds(1))
            await loop.settle()
            clock.advance(by: .seconds(10))
            await drain.value
            try result.get()
        }
        await google.stop()
    }
}

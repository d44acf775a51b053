import ReveilleJSON
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTesting

/// Producers that post without a pause to whichever servers live, and repeat what was not answered under the same key.
final class PostStream: Sendable {
    /// A post that was answered with 202.
    struct Promise: Sendable {
        let key: String
        /// The round in which it was answered.
        let round: Int
        let notification: String
        /// Each profile with its delivery's id.
        let deliveries: [(profile: String, delivery: String)]
    }

    /// Posts that are under way at once.
    static let posters = 6
    /// Pause before a post is tried again where nobody answered, so that a dead server is not asked without end.
    private static let retryPause = Duration.milliseconds(5)

    private struct State {
        var round = 0
        var permits = 0
        var isClosed = false
        var answered = 0
        var servers: [HTTPClient] = []
        var promises: [Promise] = []
        var differentAnswers: [String] = []
    }

    private let household: CrashHousehold
    private let seed: UInt64
    private let loop: EventLoop
    private let state = Locked(State())
    private let changes = Signal()
    private let finished = OneShot<Void>()

    init(_ household: CrashHousehold, seed: UInt64, loop: EventLoop) {
        self.household = household
        self.seed = seed
        self.loop = loop
    }

    // MARK: Control

    /// Posts answered so far, repeats included.
    var answered: Int { state.withLock { $0.answered } }
    /// What was promised so far.
    var promises: [Promise] { state.withLock { $0.promises } }
    /// Keys of posts that were answered with another notification when they were repeated.
    var differentAnswers: [String] { state.withLock { $0.differentAnswers } }

    /// Names the round that answers belong to from now on.
    func begin(round: Int) { change { $0.round = round } }
    /// Lets so many new posts go out from now on.
    func allow(_ count: Int) { change { $0.permits = count } }
    /// Names the servers that posts go to.
    func use(_ servers: [HTTPClient]) { change { $0.servers = servers } }
    /// Ends the posters when what they post now is answered.
    func close() { change { $0.isClosed = true } }

    /// Waits until so many posts are answered.
    func wait(untilAnswered count: Int) async throws(CancellationError) {
        try await changes.wait(untilTrue: { state.withLock { $0.answered >= count } })
    }

    /// Waits until every poster has its last answer.
    func waitUntilFinished() async throws(CancellationError) { try await finished.wait() }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
        changes.send()
    }

    // MARK: Posting

    /// Posts until the stream is closed.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<Self.posters {
                group.addTask { try await self.poster(number) }
            }
            // The first failure ends all posters.
            for try await _ in group {}
        }
        finished.fulfil(())
    }

    private func poster(_ number: Int) async throws {
        let random = SeededRandom(seed: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
        var last: (draft: PostDraft, notification: String)?
        var count = 0
        while try await mayPost() {
            count += 1
            let draft = PostDraft(key: "poster-\(number)-post-\(count)", household, random)
            let promise = try await deliver(draft, random)
            change { $0.promises.append(promise) }
            // Now and then a producer repeats what was answered long ago: in the life of another process, with luck.
            if let again = last, random.uniform(0..<8) == 0 {
                let repeated = try await deliver(again.draft, random)
                if repeated.notification != again.notification {
                    change { $0.differentAnswers.append(again.draft.key) }
                }
            }
            if last == nil || random.uniform(0..<4) == 0 { last = (draft, promise.notification) }
        }
    }

    /// Takes the permission for one more post; false when the stream is closed.
    private func mayPost() async throws(CancellationError) -> Bool {
        try await changes.wait(until: {
            state.withLock { state in
                if state.isClosed { return false }
                guard state.permits > 0 else { return nil }
                state.permits -= 1
                return true
            }
        })
    }

    /// Posts again and again until a server says 202.
    private func deliver(_ draft: PostDraft, _ random: any RandomSource) async throws -> Promise {
        while true {
            let answer: (status: Int, json: JSONValue)?
            do {
                answer = try await server(random).call(
                    "POST", "/api/v1/notifications", token: draft.token, body: draft.body,
                    fields: [("idempotency-key", draft.key)])
            } catch is ClientError {
                // Whether it arrived is unknown: the same key asks again.
                answer = nil
            }
            switch answer?.status {
            case 202:
                change { $0.answered += 1 }
                return Promise(draft.key, answer?.json ?? .null, round: state.withLock { $0.round })
            // The store waits for another process, or the server drains.
            case nil, 503: try await loop.sleep(for: Self.retryPause)
            case let status?:
                throw ProgramProcess.Failure(description: "post \(draft.key) was answered with \(status)")
            }
        }
    }

    private func server(_ random: any RandomSource) async throws(CancellationError) -> HTTPClient {
        try await changes.wait(until: {
            state.withLock { $0.servers.isEmpty ? nil : $0.servers[random.uniform(0..<$0.servers.count)] }
        })
    }
}

extension PostStream.Promise {
    fileprivate init(_ key: String, _ answer: JSONValue, round: Int) {
        self.key = key
        self.round = round
        notification = answer["notification_id"]?.string ?? ""
        deliveries = (answer["deliveries"]?.array ?? []).map {
            ($0["profile_id"]?.string ?? "", $0["delivery_id"]?.string ?? "")
        }
    }
}

/// A post as its producer keeps it until it is answered.
struct PostDraft: Sendable {
    let key: String
    /// The producer's token.
    let token: String
    let body: JSONValue

    /// Draws a post: one to three profiles of a producer, visible or silent, alone or of a series.
    init(key: String, _ household: CrashHousehold, _ random: any RandomSource) {
        self.key = key
        let producer = household.producers[random.uniform(0..<household.producers.count)]
        token = producer.token
        let first = random.uniform(0..<producer.devices.count)
        let recipients = (0...random.uniform(0..<3)).map { offset in
            JSONValue.string(producer.devices[(first + offset) % producer.devices.count].profile)
        }
        var body: JSONObject = [
            "recipients": .array(recipients),
            "category": random.uniform(0..<4) == 0 ? "flags" : .string(CrashHousehold.visibleCategory),
            "title": .string("title of \(key)"), "body": .string("body of \(key)"),
        ]
        if random.uniform(0..<2) == 0 { body["series"] = .string("series-\(random.uniform(0..<6))") }
        self.body = .object(body)
    }
}

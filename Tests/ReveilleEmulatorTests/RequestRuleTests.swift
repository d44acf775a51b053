import ReveilleEmulator
import Testing

/// A request that is right but for one thing, and Apple's answer to it.
struct SpoiltRequest: Sendable, CustomTestStringConvertible {
    let name: String
    let reason: AppleReason?
    let detail: AppleRefusal.Detail?
    let spoil: @Sendable (inout TestPush) -> Void

    init(
        _ name: String, _ reason: AppleReason?, _ detail: AppleRefusal.Detail?,
        _ spoil: @escaping @Sendable (inout TestPush) -> Void
    ) {
        self.name = name
        self.reason = reason
        self.detail = detail
        self.spoil = spoil
    }

    /// A change that Apple accepts.
    static func fine(
        _ name: String, _ change: @escaping @Sendable (inout TestPush) -> Void
    ) -> SpoiltRequest {
        SpoiltRequest(name, nil, nil, change)
    }

    var testDescription: String { name }
}

/// A payload of exactly so many bytes.
private func payload(bytes: Int, _ fill: Character = "x") -> String {
    let frame = #"{"aps":{"alert":""}}"#.utf8.count
    let count = (bytes - frame) / String(fill).utf8.count
    return #"{"aps":{"alert":"\#(String(repeating: fill, count: count))"}}"#
}

@Suite("Apple refuses a request that breaks one rule, and says which")
struct RequestRuleTests {
    static let requestLine: [SpoiltRequest] = [
        .init("GET", .methodNotAllowed, .methodIsNotPost) { $0.method = "GET" },
        .init("PUT", .methodNotAllowed, .methodIsNotPost) { $0.method = "PUT" },
        .init("another path", .badPath, .pathIsUnknown) { $0.path = "/4/device/abcd" },
        .init("the root", .badPath, .pathIsUnknown) { $0.path = "/" },
        .init("no token", .missingDeviceToken, .tokenIsMissing) { $0.path = "/3/device/" },
        .init("no slash", .missingDeviceToken, .tokenIsMissing) { $0.path = "/3/device" },
        .init("a path beside it", .badPath, .pathIsUnknown) { $0.path = "/3/devices" },
        .init("a longer path", .badPath, .pathIsUnknown) { $0.path = "/3/device/ab/cd" },
        .init("a query", .badPath, .pathIsUnknown) { $0.path = "/3/device/ab?apns=1" },
        .init("dots", .badPath, .pathIsUnknown) { $0.path = "/3/device/../../x" },
        .init("an escaped slash", .badDeviceToken, .tokenIsMalformed) { $0.path = "/3/device/ab%2fcd" },
        .init("not hexadecimal", .badDeviceToken, .tokenIsMalformed) { $0.path = "/3/device/zzzz" },
        .init("an odd digit", .badDeviceToken, .tokenIsMalformed) { $0.path = "/3/device/abc" },
        .init("514 digits", .badDeviceToken, .tokenIsMalformed) {
            $0.path = "/3/device/" + String(repeating: "ab", count: 257)
        },
        .fine("512 digits") { $0.path = "/3/device/" + String(repeating: "ab", count: 256) },
        .fine("160 digits") { $0.path = "/3/device/" + String(repeating: "cd", count: 80) },
        .fine("upper case") { $0.path = "/3/device/ABCD" },
    ]

    static let fields: [SpoiltRequest] = [
        .init("two topics", .duplicateHeaders, .fieldStandsTwice) {
            $0.further = [("apns-topic", TestPush.bundleID)]
        },
        .init("two ids", .duplicateHeaders, .fieldStandsTwice) {
            $0.further = [("apns-id", TestPush.id), ("apns-id", TestPush.id)]
        },
        .init("two priorities", .duplicateHeaders, .fieldStandsTwice) {
            $0.further = [("apns-priority", "5")]
        },
        .init("two push types", .duplicateHeaders, .fieldStandsTwice) {
            $0.further = [("apns-push-type", "alert")]
        },
        .init("no topic", .missingTopic, .topicIsMissing) { $0.topic = nil },
        .init("an empty topic", .badTopic, .topicIsMalformed) { $0.topic = "" },
        .init("a topic with a slash", .badTopic, .topicIsMalformed) { $0.topic = "org/example" },
        .init("an endless topic", .badTopic, .topicIsMalformed) {
            $0.topic = String(repeating: "a", count: 256)
        },
        .init("another topic", .topicDisallowed, .topicIsNotAllowed) { $0.topic = "org.example.mial" },
        .init("an unknown type", .invalidPushType, .pushTypeIsUnknown) { $0.pushType = "Alert" },
        .init("voip without suffix", .badTopic, .topicLacksSuffix) { $0.pushType = "voip" },
        .init("live activity without suffix", .badTopic, .topicLacksSuffix) {
            $0.pushType = "liveactivity"
        },
        .fine("voip with suffix") {
            $0.pushType = "voip"
            $0.topic = TestPush.bundleID + ".voip"
        },
        .fine("live activity with suffix") {
            $0.pushType = "liveactivity"
            $0.topic = TestPush.bundleID + ".push-type.liveactivity"
        },
        .fine("no type") { $0.pushType = nil },
        .init("priority 0", .badPriority, .priorityIsUnknown) { $0.priority = "0" },
        .init("priority 7", .badPriority, .priorityIsUnknown) { $0.priority = "7" },
        .init("priority high", .badPriority, .priorityIsUnknown) { $0.priority = "high" },
        .init("an empty priority", .badPriority, .priorityIsUnknown) { $0.priority = "" },
        .fine("priority 5") { $0.priority = "5" },
        .fine("priority 1") { $0.priority = "1" },
        .fine("no priority") { $0.priority = nil },
        .init("expiration in words", .badExpirationDate, .expirationIsMalformed) {
            $0.expiration = "tomorrow"
        },
        .init("an empty expiration", .badExpirationDate, .expirationIsMalformed) { $0.expiration = "" },
        .init("a negative expiration", .badExpirationDate, .expirationIsMalformed) {
            $0.expiration = "-1"
        },
        .init("a fraction", .badExpirationDate, .expirationIsMalformed) {
            $0.expiration = "1767229200.5"
        },
        .init("milliseconds", .badExpirationDate, .expirationIsMalformed) {
            $0.expiration = "1767229200000"
        },
        .fine("expiration 0") { $0.expiration = "0" },
        .fine("the last second of 32 bits") { $0.expiration = "4294967295" },
        .init("an id that is none", .badMessageID, .idIsMalformed) { $0.id = "42" },
        .init("an id without hyphens", .badMessageID, .idIsMalformed) {
            $0.id = "0f1e2d3c4b5a49788695a4b3c2d1e0f9"
        },
        .init("an id in braces", .badMessageID, .idIsMalformed) { $0.id = "{\(TestPush.id)}" },
        .init("an id with a letter", .badMessageID, .idIsMalformed) {
            $0.id = "0f1e2d3c-4b5a-4978-8695-a4b3c2d1e0fg"
        },
        .fine("an id in upper case") { $0.id = TestPush.id.uppercased() },
        .init("65 bytes of collapse id", .badCollapseID, .collapseIDIsTooLong) {
            $0.collapseID = String(repeating: "c", count: 65)
        },
        .init("17 characters of 4 bytes", .badCollapseID, .collapseIDIsTooLong) {
            $0.collapseID = String(repeating: "\u{1F4EC}", count: 17)
        },
        .init("an empty collapse id", .badCollapseID, .collapseIDIsEmpty) { $0.collapseID = "" },
        .fine("64 bytes of collapse id") { $0.collapseID = String(repeating: "c", count: 64) },
        .fine("16 characters of 4 bytes") { $0.collapseID = String(repeating: "\u{1F4EC}", count: 16) },
        .fine("a field that Apple does not know") { $0.further = [("x-trace", "1"), ("x-trace", "2")] },
    ]

    static let payloads: [SpoiltRequest] = [
        .init("no payload", .payloadEmpty, .payloadIsEmpty) { $0.body = "" },
        .init("4097 bytes", .payloadTooLarge, .payloadIsTooLarge) { $0.body = payload(bytes: 4097) },
        .init("4097 bytes of another script", .payloadTooLarge, .payloadIsTooLarge) {
            $0.body = payload(bytes: 4097, "€")
        },
        .init("70 000 bytes", .payloadTooLarge, .payloadIsTooLarge) {
            $0.body = payload(bytes: 70_000)
        },
        .init("5121 bytes of voip", .payloadTooLarge, .payloadIsTooLarge) {
            $0.pushType = "voip"
            $0.topic = TestPush.bundleID + ".voip"
            $0.body = payload(bytes: 5121)
        },
        .fine("4096 bytes") { $0.body = payload(bytes: 4096) },
        .fine("4094 bytes of another script") { $0.body = payload(bytes: 4094, "€") },
        .fine("5120 bytes of voip") {
            $0.pushType = "voip"
            $0.topic = TestPush.bundleID + ".voip"
            $0.body = payload(bytes: 5120)
        },
        .init("no JSON", .payloadEmpty, .payloadIsNoJSONObject) { $0.body = "hello" },
        .init("half of an object", .payloadEmpty, .payloadIsNoJSONObject) { $0.body = #"{"aps":{"# },
        .init("a list", .payloadEmpty, .payloadIsNoJSONObject) { $0.body = "[]" },
        .init("a byte order mark", .payloadEmpty, .payloadIsNoJSONObject) {
            $0.body = "\u{FEFF}" + TestPush.body
        },
        .init("aps is a text", .payloadEmpty, .apsIsNoObject) { $0.body = #"{"aps":"hi"}"# },
        .init("an alert of nothing", .invalidPushType, .alertShowsNothing) {
            $0.body = #"{"aps":{"content-available":1}}"#
        },
        .init("an alert without words", .invalidPushType, .alertShowsNothing) {
            $0.body = #"{"aps":{"alert":{}}}"#
        },
        .init("an alert without aps", .invalidPushType, .alertShowsNothing) { $0.body = "{}" },
        .fine("a badge alone") { $0.body = #"{"aps":{"badge":0}}"# },
        .fine("a sound alone") { $0.body = #"{"aps":{"sound":"default"}}"# },
        .fine("an alert as text") { $0.body = #"{"aps":{"alert":"hi"}}"# },
        .fine("an empty object without a type") {
            $0.pushType = nil
            $0.body = "{}"
        },
    ]

    static let background: [SpoiltRequest] = [
        .init("priority 10", .badPriority, .priorityIsNotForBackground) { $0.priority = "10" },
        .init("priority 1", .badPriority, .priorityIsNotForBackground) { $0.priority = "1" },
        .init("no priority", .badPriority, .priorityIsNotForBackground) { $0.priority = nil },
        .init("an alert", .invalidPushType, .backgroundShowsSomething) {
            $0.body = #"{"aps":{"content-available":1,"alert":"hi"}}"#
        },
        .init("a sound", .invalidPushType, .backgroundShowsSomething) {
            $0.body = #"{"aps":{"content-available":1,"sound":"default"}}"#
        },
        .init("a badge", .invalidPushType, .backgroundShowsSomething) {
            $0.body = #"{"aps":{"content-available":1,"badge":1}}"#
        },
        .init("no content-available", .invalidPushType, .backgroundLacksContentAvailable) {
            $0.body = #"{"aps":{}}"#
        },
        .init("content-available true", .invalidPushType, .backgroundLacksContentAvailable) {
            $0.body = #"{"aps":{"content-available":true}}"#
        },
        .fine("its own keys") { $0.body = #"{"aps":{"content-available":1},"reveille":{"v":1}}"# },
    ]

    private func check(_ row: SpoiltRequest, _ right: (Workbench) -> TestPush) async throws {
        try await withApple { bench in
            let client = try await bench.connect()
            let reply = try await client.send(right(bench).with(row.spoil))
            let expected: Reply =
                row.reason.map { .answer($0.status, #"{"reason":"\#($0.rawValue)"}"#) } ?? .answer(200)
            #expect(reply.withoutIDs == expected)
            let seen = await bench.apple.seen()
            #expect(seen.map(\.refusal?.detail) == [row.detail])
            #expect(seen.map(\.isAccepted) == [row.reason == nil])
            let counters = await bench.apple.counters()
            #expect(counters.refused == (row.reason == nil ? 0 : 1))
            #expect(counters.accepted == (row.reason == nil ? 1 : 0))
        }
    }

    @Test("method and path", .timeLimit(.minutes(5)), arguments: requestLine)
    func methodAndPath(row: SpoiltRequest) async throws {
        try await check(row) { $0.push }
    }

    @Test("header fields", .timeLimit(.minutes(5)), arguments: fields)
    func headerFields(row: SpoiltRequest) async throws {
        try await check(row) { $0.push }
    }

    @Test("payloads", .timeLimit(.minutes(5)), arguments: payloads)
    func bodies(row: SpoiltRequest) async throws {
        try await check(row) { $0.push }
    }

    @Test("background pushes", .timeLimit(.minutes(5)), arguments: background)
    func backgroundPushes(row: SpoiltRequest) async throws {
        try await check(row) { $0.push.background }
    }

    @Test("each reason has one of Apple's statuses")
    func statuses() {
        let statuses = Set(AppleReason.allCases.map(\.status))
        #expect(statuses == [400, 403, 404, 405, 410, 413, 429, 500, 503])
        #expect(AppleReason.unregistered.status == 410)
        #expect(AppleReason.tooManyRequests.status == 429)
        #expect(AppleReason.shutdown.status == 503)
    }
}

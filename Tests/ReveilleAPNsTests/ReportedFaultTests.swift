import ReveilleAPNs
import ReveilleBytes
import ReveilleCore
import ReveilleEmulator
import ReveilleHTTP2
import ReveilleJSON
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTLS
import ReveilleTesting
import Testing

@Suite("Faults that senders of pushes have had", .timeLimit(.minutes(5)))
struct ReportedFaultTests {
    @Test("case 14: sends of every topic carry the same provider token")
    func oneTokenForTopics() async throws {
        let file = try CaseFile("014-jwt-per-topic")
        let topics = try #require(file.input["sends"]?.array).compactMap { $0["topic"]?.text }
        let tries = topics.enumerated().map { number, topic in
            var one = TestTry(number)
            one.topic = Topic(topic)
            return one
        }
        let expected = Int(try #require(file.expected["distinct_authorization_values"]?.integer))
        try await withSender { world in
            await world.send(tries)
            // Whether Apple likes the topics does not matter here.
            _ = try await world.ends(tries.count)
            let sent = await world.apple.seen().map { seen in
                (topic: seen.head.fields["apns-topic"] ?? "", token: seen.head.fields["authorization"] ?? "")
            }
            #expect(sent.map(\.topic) == topics)
            #expect(Set(sent.map(\.token)).count == expected)
        }
    }

    @Test("case 32: fields of an HTTP/1.1 connection do not get into a request, and names are in lower case")
    func connectionFields() async throws {
        let file = try CaseFile("032-h2-forbidden-headers")
        let given = try #require(file.input["headers_given"]?.array).map { pair in
            (name: try #require(pair.array?[0].text), value: try #require(pair.array?[1].text))
        }
        let expected = try #require(file.expected["sent"]?.array).map { pair in
            "\(try #require(pair.array?[0].text)): \(try #require(pair.array?[1].text))"
        }
        let apple = try APNsEmulator()
        let address = try apple.start()
        try await withEventLoop { loop in
            let tls = try TLSContext(
                client: TLSClientConfiguration(
                    alpn: [HTTP2ClientConnection.protocolName], extraAuthorityPEM: apple.authorityPEM,
                    trustsSystemRoots: false))
            let client = HTTPClient(
                origin: HTTPOrigin(isSecure: true, host: "localhost", port: address.port), tls: tls, loop: loop,
                resolver: CountingResolver(address))
            let answer = try await client.send(ClientRequest(method: "POST", path: "/3/device/abcd", fields: given))
            // Refused for want of a provider token: the request came through.
            #expect(answer.status == 403)
            await client.close()
        }
        let seen = try #require(await apple.seen().first)
        await apple.stop()
        #expect(seen.head.authority == "localhost:\(address.port)")
        #expect(seen.headers.dropFirst(4).map { "\($0.name): \($0.value)" } == expected)
    }

    @Test("case 36: the octets of the body count; one too many is found before anything is sent")
    func payloadBoundary() async throws {
        let file = try CaseFile("036-payload-4096-boundary")
        let cases = try #require(file.input["cases"]?.array)
        let sizes = try #require(file.expected["bytes"]?.array)
        let verdicts = try #require(file.expected["ok"]?.array)
        try await withSender { world in
            var sent = 0
            // Of the other push types none is sent by this server.
            for (index, given) in cases.enumerated() where given["push_type"]?.text == "alert" {
                let fill = String(repeating: given["fill"]?.text ?? "", count: Int(given["n"]?.integer ?? 0))
                var one = TestTry(index)
                one.payload = Array("{\"aps\":{\"alert\":\"\(fill)\"}}".utf8)
                #expect(Int64(one.payload.count) == sizes[index].integer)
                await world.send([one])
                let result = try await world.end(of: index)
                if verdicts[index] == .boolean(true) {
                    sent += 1
                    #expect(result.outcome == .accepted)
                    #expect(await world.apple.seen().last?.body == one.payload)
                } else {
                    #expect(result.outcome == .refused(reason: ProviderReason("PayloadTooLarge")))
                    #expect(!result.mayHaveLeft)
                }
                #expect(await world.apple.counters().received == sent)
            }
            #expect(sent == 2)
        }
    }

    @Test("case 38: push type and priority follow from what the payload shows", arguments: Shape.allCases)
    func pushType(shape: Shape) async throws {
        let file = try CaseFile("038-background-priority")
        let payloads = try #require(file.input["cases"]?.array).compactMap { $0["payload"]?["aps"] }
        let headers = try #require(file.expected["headers"]?.array)
        let silent = try #require(payloads.firstIndex { $0["alert"] == nil && $0["content-available"] != nil })
        let visible = try #require(payloads.firstIndex { $0["alert"] != nil })
        try await withSender { world in
            for (number, mode) in [WakeMode.privateAlert, .backgroundWake].enumerated() {
                var one = TestTry(number)
                one.mode = mode
                one.payload = try Self.payload(shape, mode)
                await world.send([one])
                // The emulated Apple refuses a priority that does not go with the payload.
                #expect(try await world.end(of: number).outcome == .accepted)
                let seen = try #require(await world.apple.seen().last)
                let shows = try JSONReader.parse(seen.body)["aps"]?["alert"] != nil
                let expected = headers[shows ? visible : silent]
                for name in ["apns-push-type", "apns-priority"] {
                    #expect(seen.head.fields[name] == expected[name]?.text)
                }
                #expect(shows == (mode == .privateAlert))
            }
        }
    }

    private static func payload(_ shape: Shape, _ mode: WakeMode) throws -> [UInt8] {
        let fields = PayloadFields(
            shape: shape, mode: mode, reason: .changed, serverDeviceID: try #require(PayloadID("DEVICE")),
            deliveryID: try #require(PayloadID("DELIVERY")))
        var octets = [UInt8](repeating: 0, count: APNsPayload.largestShapeOctets)
        let count = octets.withUnsafeMutableBufferPointer { APNsPayload.write(fields, into: $0) }
        return Array(octets.prefix(try #require(count)))
    }

    @Test("case 52: a token that would steer the path is not sent, the others are")
    func tokenInPath() async throws {
        let file = try CaseFile("052-token-in-path")
        let tokens = try #require(file.input["tokens"]?.array)
        let paths = try #require(file.expected["path_built"]?.array)
        try await withSender { world in
            for (number, token) in tokens.enumerated() {
                var one = TestTry(number)
                one.token = try #require(token.text)
                await world.send([one])
                let result = try await world.end(of: number)
                if let path = paths[number].text {
                    #expect(result.outcome == .accepted)
                    #expect(await world.apple.seen().last?.head.path == path)
                } else {
                    #expect(result.outcome == .refused(reason: ProviderReason("InvalidRequest")))
                }
            }
            #expect(await world.apple.counters().received == paths.count { $0.text != nil })
        }
    }

    @Test("case 121: Retry-After is understood in each form, and nothing goes out before it")
    func retryAfter() throws {
        let file = try CaseFile("121-retry-after-http-date")
        let values = try #require(file.input["values"]?.array)
        let delays = try #require(file.expected["delay_s"]?.array)
        // 1 January 2026, 00:00:00 UTC, as the case says.
        let now = WallInstant(seconds: 1_767_225_600)
        for (value, delay) in zip(values, delays) {
            let text = try #require(value.text)
            #expect(RetryAfter.seconds(text, now: now) == delay.integer, "\(text)")
            let floor = RetryFloor.schedule(seconds: try #require(delay.integer))
            for unit in [0, 0.5, 0.999] {
                let wait = RetrySchedule.delayMilliseconds(floor: floor, failures: 1, unit: unit)
                #expect(wait >= (delay.integer ?? 0) * 1_000)
                // A wish for no delay still gets the schedule.
                if delay.integer == 0 {
                    #expect(
                        wait == RetrySchedule.delayMilliseconds(floor: .schedule(seconds: 0), failures: 1, unit: unit))
                }
            }
        }
    }
}

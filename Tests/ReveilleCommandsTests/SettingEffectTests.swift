import Glibc
import ReveilleCommands
import ReveilleCore
import ReveilleJSON
import ReveilleNetwork
import ReveilleRuntime
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTelemetry
import ReveilleTesting
import Testing

@Suite("Each limit that an operator sets is the limit that holds", .temporaryDirectory, .timeLimit(.minutes(5)))
struct SettingEffectTests {
    /// A running server with further settings, and a client of it.
    private static func with<Result: Sendable>(
        _ place: StorePlace, _ more: [String: String],
        _ body: (HomeServer, HTTPClient) async throws -> Result
    ) async throws -> Result {
        let variables = [
            "REVEILLE_LISTEN": "127.0.0.1:0", "REVEILLE_DATA": place.folder, "REVEILLE_MASTER_KEY_FILE": place.keyFile,
            "REVEILLE_APPS": StorePlace.app.identifier,
        ]
        let settings = try HomeSettings.read(SettingsSource(environment: variables.merging(more) { $1 }))
        let server = try await HomeServer.start(settings, log: .silent)
        do {
            let result = try await withEventLoop { loop in
                let origin = try #require(HTTPOrigin(parsing: "http://\(server.address.text)"))
                let client = HTTPClient(origin: origin, loop: loop, resolver: SystemResolver(on: loop))
                let result = try await body(server, client)
                await client.close()
                return result
            }
            await server.stop()
            return result
        } catch {
            await server.stop()
            throw error
        }
    }

    private static func post(
        _ client: HTTPClient, _ path: String, _ token: String, _ body: JSONValue
    ) async throws -> (status: Int, code: String?) {
        let fields = [
            (name: "authorization", value: "Bearer \(token)"), (name: "content-type", value: "application/json"),
        ]
        let answer = try await client.send(
            ClientRequest(method: "POST", path: path, fields: fields, body: body.encoded()))
        return (answer.status, (try? JSONReader.parse(answer.body))?["code"]?.string)
    }

    @Test("a profile has as many devices as the setting says", arguments: [1, 3])
    func devicesPerProfile(limit: Int) async throws {
        let place = try StorePlace()
        _ = try await place.makeProducer("mail")
        let made = await place.run("token", "create", "--producer", "mail", "--profile", "anna", "--json")
        let token = try #require(made.json["token"]?.string)
        let answers = try await Self.with(place, ["REVEILLE_DEVICES_PER_PROFILE": "\(limit)"]) { _, client in
            var answers: [(status: Int, code: String?)] = []
            for number in 0...limit {
                answers.append(
                    try await Self.post(
                        client, "/api/v1/devices/push/apple", token,
                        [
                            "device_id": .string("device-\(number)"), "apns_token": .string("cafe00\(10 + number)"),
                            "apns_environment": "production", "apns_topic": .string(StorePlace.app.identifier),
                            "os": "ios",
                        ]))
            }
            return answers
        }
        #expect(answers.dropLast().allSatisfy { $0.status == 201 })
        #expect(answers.last?.status == 422 && answers.last?.code == "too_many_devices")
    }

    @Test(
        "a producer posts as fast as the setting says, and without it as fast as it can",
        arguments: [("1", true), ("0", false)])
    func postsPerSecond(limit: String, isLimited: Bool) async throws {
        let place = try StorePlace()
        let token = try await place.makeProducer("mail")
        let statuses = try await Self.with(place, ["REVEILLE_POSTS_PER_SECOND": limit]) { _, client in
            var statuses: [Int] = []
            // A burst of ten is allowed; these take far less than the thirty seconds in which as many more would be.
            for _ in 0..<40 where statuses.last != 429 {
                statuses.append(
                    try await Self.post(
                        client, "/api/v1/notifications", token, ["recipients": ["anna"], "category": "mail"]
                    ).status)
            }
            return statuses
        }
        #expect(statuses.contains(429) == isLimited)
        #expect(statuses.prefix(10).allSatisfy { $0 == 202 })
    }

    @Test(
        "each kind of row is kept as long as its setting says",
        arguments: [
            ("REVEILLE_KEEP_ACCEPTED_DAYS", \Retention.acceptedWakes), ("REVEILLE_KEEP_FAILED_DAYS", \.failedWakes),
            ("REVEILLE_KEEP_READ_DAYS", \.readDeliveries), ("REVEILLE_KEEP_UNREAD_DAYS", \.unreadDeliveries),
        ] as [(String, any WritableKeyPath<Retention, Int64> & Sendable)])
    func retention(name: String, part: any WritableKeyPath<Retention, Int64> & Sendable) throws {
        let place = try StorePlace()
        let variables = [
            "REVEILLE_DATA": place.folder, "REVEILLE_MASTER_KEY_FILE": place.keyFile, name: "3",
        ]
        var expected = Retention()
        expected[keyPath: part] = 3 * 86_400
        #expect(try HomeSettings.read(SettingsSource(environment: variables)).retention == expected)
    }

    @Test("a running server removes what is older than the setting, and nothing younger")
    func upkeep() async throws {
        let place = try StorePlace()
        let token = try await place.makeProducer("mail")
        let now: WallInstant = SystemWallClock().now()
        let clock = ManualClock(wall: WallInstant(milliseconds: now.milliseconds - 3 * 86_400_000))
        let store = try await SQLiteHomeStore.open(
            path: place.folder + "/reveille.db", masterKeys: try place.keys(), apps: AppRegistry([StorePlace.app]),
            clock: clock)
        let old = try await place.fill(store, producer: "mail")
        let producer = try #require(try await store.producer(name: "mail"))
        await store.close()
        let settings = ["REVEILLE_KEEP_UNREAD_DAYS": "2", "REVEILLE_VISIBLE_CATEGORIES": "mail"]
        let (isGone, young) = try await Self.with(place, settings) { server, client in
            let body: JSONValue = ["recipients": ["bob"], "category": "mail"]
            #expect(try await Self.post(client, "/api/v1/notifications", token, body).status == 202)
            // The first round of upkeep begins with the server; its end is looked for, with requests as a pause between.
            var isGone = false
            for _ in 0..<5_000 where !isGone {
                isGone = try await server.store.delivery(old.delivery, of: old.profile) == nil
                _ = try await client.send(ClientRequest(method: "GET", path: "/healthz"))
            }
            let bob = try await server.store.profile("bob", of: producer)
            return (isGone, try await server.store.deliveries(of: bob, before: nil, limit: 10).count)
        }
        #expect(isGone)
        #expect(young == 1)
    }
}

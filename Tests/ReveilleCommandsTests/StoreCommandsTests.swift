import Glibc
import ReveilleCommands
import ReveilleCore
import ReveilleJSON
import ReveilleRuntime
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTelemetry
import ReveilleTesting
import Testing

@Suite("Commands work on the store that is there", .temporaryDirectory, .timeLimit(.minutes(5)))
struct StoreCommandsTests {
    @Test(
        "a command that needs a store makes none",
        arguments: [
            ["devices"], ["producer", "list"], ["token", "create", "--admin"],
            ["token", "create", "--producer", "mail"], ["token", "revoke", "--file", "TOKEN"],
        ])
    func noStore(words: [String]) async throws {
        let place = try StorePlace()
        let token = try #require(TemporaryDirectory.current).file("token")
        try PrivateFile.write("rv_token", to: token)
        let run = await CommandRun.of(words.map { $0 == "TOKEN" ? token : $0 } + place.options)
        #expect(run.status == .usage && run.out.isEmpty)
        #expect(run.error.contains("there is no store in \(place.folder)"))
        #expect(run.error.contains("reveille serve") && run.error.contains("reveille producer create"))
        #expect(access(place.folder, F_OK) != 0)
        #expect(access(place.keyFile, F_OK) != 0)
    }

    @Test("a missing key file is not made anew for a store that is there")
    func missingKey() async throws {
        let place = try StorePlace()
        _ = try await place.makeProducer("mail")
        #expect(unlink(place.keyFile) == 0)
        let run = await place.run("producer", "list")
        #expect(run.status == .usage && run.error.contains("is missing"))
        #expect(access(place.keyFile, F_OK) != 0)
    }

    @Test("producers are listed by name, and none twice")
    func producers() async throws {
        let place = try StorePlace()
        _ = try await place.makeProducer("mail")
        _ = try await place.makeProducer("calendar")
        let repeated = await place.run("producer", "create", "mail")
        #expect(repeated.status == .failure && repeated.error.contains("exists already"))
        #expect(Set(await place.run("producer", "list").lines) == ["mail", "calendar"])
        let json = await place.run("producer", "list", "--json").json
        #expect(Set(json["producers"]?.array?.compactMap { $0["name"]?.string } ?? []) == ["mail", "calendar"])
    }

    @Test("devices are listed with their state and without their token")
    func devices() async throws {
        let place = try StorePlace()
        _ = try await place.makeProducer("mail")
        let none = await place.run("devices")
        #expect(none.status == .success && none.out.isEmpty && none.error.contains("there are no devices"))
        _ = try await place.withStore { try await place.fill($0, producer: "mail") }
        let text = await place.run("devices")
        #expect(text.status == .success && text.lines.count == 1)
        for part in ["org.example.app", "production", "active", "last success never"] {
            #expect(text.out.contains(part), "\(part)")
        }
        let json = await place.run("devices", "--json")
        let device = try #require(json.json["devices"]?.array?.first)
        #expect(device["topic"]?.string == "org.example.app" && device["state"]?.string == "active")
        #expect(device["last_success_at"] == .null && device["last_failure_at"] == .null)
        #expect(text.out.contains(try #require(device["id"]?.string)))
        for out in [text.out, json.out] { #expect(!out.lowercased().contains("cafecafe")) }
    }

    @Test(
        "as many devices are listed as --limit says, the oldest first, and without it a hundred",
        arguments: [(["--limit", "1"], 1), (["--limit", "501"], 501), (["--limit", "100000"], 503), ([], 100)])
    func deviceLimit(words: [String], count: Int) async throws {
        let place = try StorePlace()
        _ = try await place.makeProducer("mail")
        // More than a page of the store.
        let ids = try await place.withStore { store in
            try await place.register(503, in: store, producer: "mail").map {
                store.secrets.publicIDs.text(.device, row: $0.number)
            }
        }
        let run = await CommandRun.of(["devices", "--json"] + words + place.options)
        #expect(run.status == .success, "\(run.error)")
        #expect(run.json["devices"]?.array?.compactMap { $0["id"]?.string } == Array(ids.prefix(count)))
    }

    @Test("a limit that lists nothing, or is none, is a wrong argument", arguments: ["0", "-1", "100001", "all", ""])
    func wrongLimit(limit: String) async throws {
        let place = try StorePlace()
        _ = try await place.makeProducer("mail")
        let run = await place.run("devices", "--limit", limit)
        #expect(run.status == .usage && run.out.isEmpty && run.error.contains("--limit"), "\(run.error)")
    }

    @Test("times are written as the API writes them, for people and for machines")
    func times() async throws {
        let place = try StorePlace()
        _ = try await place.makeProducer("mail")
        let known = try await place.withStore { store in
            let filling = try await place.fill(store, producer: "mail")
            try await place.endTry(.accepted, in: store)
            try await place.post(store, producer: "mail")
            try await place.endTry(.refused(reason: ProviderReason("BadTopic")), in: store)
            return try await store.device(filling.device)
        }
        let success = CivilTime(WallInstant(milliseconds: try #require(known?.lastSuccessMilliseconds))).text
        let failure = CivilTime(WallInstant(milliseconds: try #require(known?.lastFailureMilliseconds))).text
        let device = try #require(await place.run("devices", "--json").json["devices"]?.array?.first)
        #expect(device["last_success_at"]?.string == success && device["last_failure_at"]?.string == failure)
        #expect(success.count == "2026-11-30T15:31:46.134Z".count && success.hasSuffix("Z"))
        #expect(await place.run("devices").out.contains("last success \(success)"))
    }

    @Test(
        "options that do not belong together are refused, not ignored",
        arguments: [
            (["--admin", "--scope", "notify"], "--scope"), (["--admin", "--producer", "mail"], "--admin"),
            (["--admin", "--profile", "anna"], "--profile"), (["--profile", "anna"], "--producer"),
            (["--producer", "mail", "--profile", "anna", "--scope", "notify"], "--scope"),
            (["--producer", "mail", "--scope", "everything"], "--scope"), ([], "--admin"),
        ])
    func wrongTokens(words: [String], part: String) async throws {
        let place = try StorePlace()
        _ = try await place.makeProducer("mail")
        let run = await CommandRun.of(["token", "create"] + words + place.options)
        #expect(run.status == .usage && run.out.isEmpty && run.error.contains(part), "\(run.error)")
    }

    @Test(
        "a profile id that the API would refuse gets no token",
        arguments: ["", "an\nna", "a\u{7F}", "a/b", ".", "..", String(repeating: "p", count: 129)])
    func wrongProfiles(profile: String) async throws {
        let place = try StorePlace()
        _ = try await place.makeProducer("mail")
        let run = await place.run("token", "create", "--producer", "mail", "--profile", profile)
        #expect(run.status == .usage && run.out.isEmpty && run.error.contains("--profile must not"), "\(run.error)")
        let producer = try await place.withStore { store in
            let row = try #require(try await store.producer(name: "mail"))
            return try await store.existingProfile(profile, of: row)
        }
        #expect(producer == nil)
    }

    @Test("a revoked token opens nothing, and other tokens stay")
    func revoke() async throws {
        let place = try StorePlace()
        let first = try await place.makeProducer("mail")
        let second = try #require(
            await place.run("token", "create", "--producer", "mail", "--json").json["token"]?.string)
        let file = try #require(TemporaryDirectory.current).file("token")
        try PrivateFile.write(first + "\n", to: file)
        let run = await place.run("token", "revoke", "--file", file, "--json")
        #expect(run.status == .success && run.json["revoked"] == true)
        #expect(try await place.withStore { try await $0.credential(token: first) } == nil)
        #expect(try await place.withStore { try await $0.credential(token: second) } != nil)
        let again = await place.run("token", "revoke", "--file", file)
        #expect(again.status == .failure && again.out.isEmpty && again.error.contains("was revoked before"))
        let unknown = try #require(TemporaryDirectory.current).file("unknown")
        try PrivateFile.write("rvp_" + String(repeating: "A", count: 43), to: unknown)
        let none = await place.run("token", "revoke", "--file", unknown)
        #expect(none.status == .failure && none.error.contains("there is no such token"))
    }

    @Test("of commands that revoke the same token at once one does, and the others say so")
    func revokeTogether() async throws {
        let place = try StorePlace()
        let token = try await place.makeProducer("mail")
        let file = try #require(TemporaryDirectory.current).file("token")
        try PrivateFile.write(token, to: file)
        let runs = await withTaskGroup { group in
            for _ in 0..<4 { group.addTask { await place.run("token", "revoke", "--file", file) } }
            return await group.reduce(into: [CommandRun]()) { $0.append($1) }
        }
        #expect(runs.filter { $0.status == .success && $0.out == "revoked\n" }.count == 1)
        #expect(runs.filter { $0.status == .failure && $0.error.contains("was revoked before") }.count == 3)
    }
}

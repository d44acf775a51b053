import ReveilleBytes
import ReveilleCommands
import ReveilleCrypto
import ReveilleJSON
import ReveilleTesting
import Testing

@Suite("The flags of the emulator do what they say", .temporaryDirectory, .timeLimit(.minutes(5)))
struct EmulateAPNsCommandTests {
    private static func write(_ text: String, to name: String) throws -> String {
        let path = try #require(TemporaryDirectory.current).file(name)
        try PrivateFile.write(text, to: path)
        return path
    }

    /// Options under which only one key's tokens are accepted.
    private static func oneKey() throws -> [String] {
        let file = try write(P256PrivateKey.generate().pkcs8PEM.reveal(), to: "apns.p8")
        return ["--team-id", "TEAMID6789", "--key-id", "KEYID12345", "--key-file", file]
    }

    @Test("wakes are accepted, and the emulator counts what the sender counts")
    func accepts() async throws {
        let (run, counters) = try await EmulatorRun.with([]) { emulator in
            (await emulator.bench(count: 50), try await emulator.control("GET", "/counters"))
        }
        #expect(run.status == .success, "\(run.error)")
        #expect(run.json["ok"] == 50 && run.json["failed"] == 0)
        #expect(counters["accepted"] == 50 && counters["refused"] == 0)
    }

    @Test("--key-file accepts the tokens of that key only, --unchecked-tokens any")
    func providerTokens() async throws {
        let key = try Self.oneKey()
        let checked = try await EmulatorRun.with(key) { await $0.bench(count: 5) }
        #expect(checked.status == .failure)
        #expect(checked.json["ok"] == 0 && checked.json["failed"] == 5)
        let unchecked = try await EmulatorRun.with(["--unchecked-tokens"]) { await $0.bench(count: 5) }
        #expect(unchecked.status == .success)
        #expect(unchecked.json["ok"] == 5)
    }

    @Test("--faults is in force from the first request on")
    func faults() async throws {
        let file = try Self.write(
            #"{"faults": [{"id": "twice", "when": {"skip": 1, "first": 2}, "action": {"kind": "answer", "status": 400, "reason": "BadDeviceToken"}}]}"#,
            to: "faults.json")
        let (run, listed) = try await EmulatorRun.with(["--faults", file]) { emulator in
            (await emulator.bench(count: 10), try await emulator.control("GET", "/faults"))
        }
        #expect(run.status == .failure)
        #expect(run.json["ok"] == 8 && run.json["failed"] == 2)
        #expect(listed["faults"]?.array?.compactMap { $0["id"]?.string } == ["twice"])
    }

    @Test("--stream-limit is announced once the provider token is proven")
    func streamLimit() async throws {
        let file = try Self.write(
            #"{"faults": [{"when": {"skip": 1, "first": 1}, "action": {"kind": "hold"}}]}"#, to: "faults.json")
        let (run, connections) = try await EmulatorRun.with(["--stream-limit", "3", "--faults", file]) { emulator in
            async let run = emulator.bench(count: 10)
            // The second request comes after the answer to the first, and stays until it is let go.
            _ = try await emulator.control("POST", "/wait", ["at_least": ["struck": 1]])
            let connections = try await emulator.control("GET", "/connections")
            _ = try await emulator.control("POST", "/release", [:])
            return (await run, connections)
        }
        #expect(connections["connections"]?.array?.compactMap { $0["stream_limit"] } == [3])
        #expect(run.json["ok"] == 10)
    }

    @Test(
        "with --ids-only what was accepted is kept by its ids, without it whole",
        arguments: [(["--ids-only"], true), ([], false)])
    func idsOnly(words: [String], isShort: Bool) async throws {
        let (run, pushes, seen, summary) = try await EmulatorRun.with(words) { emulator in
            (
                await emulator.bench(count: 5), try await emulator.control("GET", "/pushes"),
                try await emulator.control("GET", "/seen"), try await emulator.control("GET", "/pushes/summary")
            )
        }
        #expect(run.json["ok"] == 5 && summary["kept"] == 5 && summary["distinct_apns_ids"] == 5)
        let kept = pushes["pushes"]?.array ?? []
        #expect(kept.count == 5 && kept.allSatisfy { $0["apns_id"]?.string != nil && $0["token"]?.string != nil })
        #expect(kept.allSatisfy { ($0["headers"] == nil && $0["body"] == nil) == isShort })
        #expect(seen["requests"]?.array?.count == (isShort ? 0 : 5))
    }

    @Test(
        "wrong flags and files end the command before it listens, and the flag is named",
        arguments: [
            (["--listen", "2197"], "--listen"), (["--sandbox-listen", ""], "--sandbox-listen"),
            (["--control", "nowhere"], "--control"), (["--stream-limit", "-1"], "--stream-limit"),
            (["--stream-limit", "0"], "--stream-limit"), (["--key-file", "/nonexistent"], "--team-id"),
            (["--team-id", "TEAMID6789"], "--key-id"), (["--key-id", "KEYID12345"], "--team-id"),
            (["--team-id", "TEAMID6789", "--key-id", "KEYID12345"], "--key-file"),
            (["--team-id", "TEAMID6789", "--key-id", "KEYID12345", "--key-file", "/nonexistent"], "--key-file"),
            (["--team-id", "TEAMID6789", "--unchecked-tokens"], "--unchecked-tokens"),
            (["--topic", "no/topic"], "--topic"), (["--faults", "/nonexistent"], "--faults"),
            (["--faults", "/dev/null"], "--faults"), (["--ca-file", "/nonexistent/ca.pem"], "--ca-file"),
            (["--ca-file", "/tmp"], "--ca-file"), (["--ca-file", ""], "--ca-file"),
            (["--listen", "127.0.0.1:2196", "--control", "127.0.0.1:2196"], "--control"),
        ])
    func wrongCalls(words: [String], part: String) async throws {
        let authority = try #require(TemporaryDirectory.current).file("ca.pem")
        let more = words.contains("--ca-file") ? [] : ["--ca-file", authority]
        let run = await CommandRun.of(["emulate", "apns"] + more + words)
        #expect(run.status == .usage && run.out.isEmpty)
        #expect(run.error.contains(part), "\(run.error)")
        #expect(!run.error.contains("EmulatorError"))
    }

    @Test(
        "a script of faults that is none is told with its place",
        arguments: [
            ("no JSON", "is no JSON from octet"), (#"{"faults": [{"action": {"kind": "explode"}}]}"#, "kind"),
            (#"{"faults": [{"action": {"kind": "stall"}, "wen": {}}]}"#, "wen"), (#"{"fault": []}"#, "faults"),
        ])
    func wrongScripts(text: String, part: String) async throws {
        let file = try Self.write(text, to: "faults.json")
        let run = await CommandRun.of("emulate", "apns", "--faults", file)
        #expect(
            run.status == .usage && run.error.contains("--faults \(file)") && run.error.contains(part), "\(run.error)")
    }

    @Test(
        "ids that are no Apple ids are refused",
        arguments: [("team", "KEYID12345", "--team-id"), ("TEAMID6789", "key", "--key-id")])
    func wrongIDs(team: String, key: String, part: String) async throws {
        let file = try Self.write(P256PrivateKey.generate().pkcs8PEM.reveal(), to: "apns.p8")
        let run = await CommandRun.of(
            "emulate", "apns", "--team-id", team, "--key-id", key, "--key-file", file)
        #expect(run.status == .usage && run.error.contains("\(part) must be 10 capital letters and digits"))
    }

    @Test(
        "an address that is taken is status 1, under the flag that named it, and the file of who has it stays good",
        arguments: ["--listen", "--sandbox-listen", "--control"])
    func takenAddress(option: String) async throws {
        let run = try await EmulatorRun.with([]) { first in
            let place = try #require(first.announcement["control"]?.string).dropFirst("http://".count)
            let free = ["--listen", "--sandbox-listen"].filter { $0 != option }.flatMap { [$0, "127.0.0.1:0"] }
            let second = ["emulate", "apns", "--ca-file", first.authorityFile, option, String(place)]
            let run = await CommandRun.of(second + free)
            // Whoever trusts the file reaches the first emulator as before.
            #expect(await first.bench(count: 1).status == .success)
            return run
        }
        #expect(run.status == .failure && run.out.isEmpty)
        #expect(run.error.contains("reveille: \(option): cannot listen on "), "\(run.error)")
    }
}

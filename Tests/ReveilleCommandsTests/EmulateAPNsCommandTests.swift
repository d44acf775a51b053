import ReveilleBytes
import ReveilleCommands
import ReveilleCrypto
import ReveilleJSON
import ReveilleTesting
import Testing

@Suite("The flags of the emulator do what they say", .temporaryDirectory, .timeLimit(.minutes(1)))
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
        let unchecked = try await EmulatorRun.with(key + ["--unchecked-tokens"]) { await $0.bench(count: 5) }
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
        "wrong flags and files end the command before it listens",
        arguments: [
            (["--listen", "2197"], ReveilleCommands.ExitStatus.usage, "--listen"),
            (["--control", "nowhere"], .usage, "--control"),
            (["--stream-limit", "-1"], .usage, "--stream-limit"),
            (["--key-file", "/nonexistent"], .usage, "--team-id"),
            (["--faults", "/nonexistent"], .failure, "/nonexistent"),
        ])
    func wrongCalls(words: [String], status: ReveilleCommands.ExitStatus, part: String) async throws {
        let authority = try #require(TemporaryDirectory.current).file("ca.pem")
        let run = await CommandRun.of(["emulate", "apns", "--ca-file", authority] + words)
        #expect(run.status == status && run.out.isEmpty)
        #expect(run.error.contains(part), "\(run.error)")
    }
}

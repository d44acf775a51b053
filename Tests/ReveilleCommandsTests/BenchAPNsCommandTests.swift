import ReveilleCommands
import ReveilleCrypto
import ReveilleJSON
import ReveilleTesting
import Testing

@Suite("The sender is measured against any server that answers like APNs", .temporaryDirectory, .timeLimit(.minutes(5)))
struct BenchAPNsCommandTests {
    @Test("the figures are one JSON line, and every request is counted by the server too")
    func figures() async throws {
        let (run, counters) = try await EmulatorRun.with(["--unchecked-tokens"]) { emulator in
            let run = await CommandRun.of(
                "bench", "apns", "--url", emulator.url, "--ca", emulator.authorityFile, "--count", "200",
                "--connections", "2")
            return (run, try await emulator.control("GET", "/counters"))
        }
        #expect(run.status == .success, "\(run.error)")
        #expect(run.lines.count == 1)
        #expect(run.json["ok"] == 200 && run.json["failed"] == 0)
        #expect(counters["accepted"] == 200 && counters["received"] == 200)
        #expect((run.json["rate"]?.double ?? 0) > 0)
        let p50 = try #require(run.json["p50_ms"]?.double)
        let p99 = try #require(run.json["p99_ms"]?.double)
        #expect(p50 > 0 && p50 <= p99)
        #expect(Set(run.json.object?.members.map(\.key) ?? []) == ["rate", "p50_ms", "p99_ms", "ok", "failed"])
    }

    @Test("an authority that did not sign the server's certificate is named as the reason")
    func untrusted() async throws {
        let run = try await EmulatorRun.with([]) { emulator in
            let other = try #require(TemporaryDirectory.current).file("other.pem")
            try PrivateFile.write(try CertificateAuthority.generate(commonName: "other").certificatePEM, to: other)
            return await CommandRun.of("bench", "apns", "--url", emulator.url, "--ca-file", other, "--count", "1")
        }
        #expect(run.status == .unreachable && run.out.isEmpty)
        #expect(run.error.contains("certificate is not trusted"), "\(run.error)")
    }

    @Test("a server that nobody runs is status 3")
    func unreachable() async {
        let run = await CommandRun.of("bench", "apns", "--url", "https://127.0.0.1:1", "--count", "1")
        #expect(run.status == .unreachable && run.error.contains("nobody listens there"), "\(run.error)")
    }

    @Test(
        "a wrong call is status 2 and names its option",
        arguments: [
            ([], "--url"), (["--url", "http://localhost:1"], "--url"),
            (["--url", "https://localhost:1/path"], "--url"),
            (["--url", "https://localhost:0"], "--url"), (["--url", "https://localhost:1", "--count", "0"], "--count"),
            (["--url", "https://localhost:1", "--connections", "65"], "--connections"),
            (["--url", "https://localhost:1", "--ca-file", "/nonexistent"], "--ca-file /nonexistent cannot be read"),
            (
                ["--url", "https://localhost:1", "--ca", "/proc/self/limits"],
                "--ca /proc/self/limits holds no certificate"
            ),
            (["--url", "https://localhost:1", "--ca", "a", "--ca-file", "b"], "--ca"),
        ])
    func wrongCalls(words: [String], part: String) async {
        let run = await CommandRun.of(["bench", "apns"] + words)
        #expect(run.status == .usage && run.out.isEmpty && run.error.contains(part), "\(run.error)")
    }
}

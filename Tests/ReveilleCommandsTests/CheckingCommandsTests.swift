import Glibc
import ReveilleBytes
import ReveilleCommands
import ReveilleCrypto
import ReveilleJSON
import ReveilleTesting
import Testing

@Suite("Keys and settings are checked without starting anything", .temporaryDirectory, .timeLimit(.minutes(5)))
struct CheckingCommandsTests {
    private static func keyFile(_ key: P256PrivateKey) throws -> String {
        let path = try #require(TemporaryDirectory.current).file("AuthKey_ABC123DEFG.p8")
        try PrivateFile.write(key.pkcs8PEM.reveal(), to: path)
        return path
    }

    @Test("a key for APNs is told by the fingerprint of its public half and the id in its name")
    func goodKey() async throws {
        let key = P256PrivateKey.generate()
        let path = try Self.keyFile(key)
        let fingerprint = String(SHA256Digest.hexadecimal(key.publicKey.x963).prefix(16))
        let text = await CommandRun.of("keys", "check", path)
        #expect(text.status == .success && text.error.isEmpty)
        #expect(text.out.contains(fingerprint) && text.out.contains("ABC123DEFG"))
        let json = await CommandRun.of("keys", "check", path, "--json")
        #expect(json.status == .success && json.json["valid"] == true)
        #expect(json.json["public_key"]?.string == fingerprint)
        #expect(json.json["key_id"]?.string == "ABC123DEFG")
        let secret = key.pkcs8PEM.reveal().split(separator: "\n").dropFirst().dropLast()
        for line in secret { #expect(!text.out.contains(line) && !json.out.contains(line)) }
    }

    @Test("a key that others may read is no success")
    func openKey() async throws {
        let path = try Self.keyFile(P256PrivateKey.generate())
        #expect(chmod(path, 0o644) == 0)
        let run = await CommandRun.of("keys", "check", path)
        #expect(run.status == .failure && run.error.contains("chmod"))
    }

    @Test("what is no key is no success", arguments: [[], ["--json"]])
    func noKey(flags: [String]) async throws {
        let path = try #require(TemporaryDirectory.current).file("AuthKey_ABC123DEFG.p8")
        try PrivateFile.write("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", to: path)
        let run = await CommandRun.of(["keys", "check", path] + flags)
        #expect(run.status == .failure)
        #expect(flags.isEmpty ? run.error.contains(path) : run.json["valid"] == false)
    }

    @Test("what cannot be read is a wrong argument, a pipe among it, for which nobody waits")
    func unreadable() async throws {
        let pipe = try #require(TemporaryDirectory.current).file("AuthKey_ABC123DEFG.p8")
        #expect(mkfifo(pipe, 0o600) == 0)
        for path in [pipe, "/nonexistent", "/tmp", "/dev/null"] {
            let run = await CommandRun.of("keys", "check", path)
            #expect(run.status == .usage && run.error.contains("<file> \(path) cannot be read"), "\(run.error)")
        }
        let token = await CommandRun.of("token", "revoke", "--file", pipe)
        #expect(token.status == .usage && token.error.contains("--file \(pipe) cannot be read: it is no regular file"))
    }

    @Test("complete settings pass and nothing is made")
    func completeSettings() async throws {
        let place = try StorePlace()
        let key = try Self.keyFile(P256PrivateKey.generate())
        let run = await place.run(
            "serve", "--check", "--apple-push", "custom_apns", "--apns-team-id", "TEAMID6789", "--apns-key-id",
            "ABC123DEFG", "--apns-key-file", key, "--apps", "org.example.app")
        #expect(run.status == .success, "\(run.error)")
        #expect(run.out == "the settings are complete\n")
        #expect(access(place.folder, F_OK) != 0 && access(place.keyFile, F_OK) != 0)
    }

    @Test("incomplete settings are all named at once")
    func incompleteSettings() async throws {
        let run = await (try StorePlace()).run("serve", "--check", "--apple-push", "custom_apns", "--threads", "0")
        #expect(run.status == .usage && run.out.isEmpty)
        for name in ["--threads", "REVEILLE_APNS_TEAM_ID", "REVEILLE_APNS_KEY_ID", "REVEILLE_APPS"] {
            #expect(run.error.contains(name), "\(name)")
        }
    }
}

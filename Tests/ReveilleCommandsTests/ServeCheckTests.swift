import Glibc
import ReveilleBytes
import ReveilleCommands
import ReveilleCrypto
import ReveilleTesting
import Testing

@Suite("A check of the settings and a start of the server judge alike", .temporaryDirectory, .timeLimit(.minutes(5)))
struct ServeCheckTests {
    /// A place with one thing in it that no server may start with.
    struct Trap: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// What the report must name.
        let parts: [String]
        /// Sets the trap; returns further words of the call.
        let set: @Sendable (StorePlace) async throws -> [String]

        init(_ name: String, _ parts: String..., set: @escaping @Sendable (StorePlace) async throws -> [String]) {
            testDescription = name
            self.parts = parts
            self.set = set
        }
    }

    private static let digits = String(repeating: "ab", count: 32)

    private static func file(_ name: String, _ text: String, mode: UInt32 = 0o600) throws -> String {
        let path = try #require(TemporaryDirectory.current).file(name)
        try PrivateFile.write(text, to: path)
        #expect(chmod(path, mode) == 0)
        return path
    }

    private static func pipe(_ name: String) throws -> String {
        let path = try #require(TemporaryDirectory.current).file(name)
        #expect(mkfifo(path, 0o600) == 0)
        return path
    }

    /// The certificate of one authority and the key of another.
    private static func strangers() throws -> (certificate: String, key: String) {
        let authority = try CertificateAuthority.generate(commonName: "test")
        let first = try authority.issueServerCertificate(names: ["localhost"])
        let second = try authority.issueServerCertificate(names: ["localhost"])
        return (
            try file("chain.pem", first.certificateChainPEM), try file("tls.key", second.privateKeyPEM.reveal())
        )
    }

    static let traps = [
        Trap("a key file that others may read", "--master-key-file", "chmod 600") { place in
            try PrivateFile.write(digits, to: place.keyFile)
            #expect(chmod(place.keyFile, 0o644) == 0)
            return []
        },
        Trap("a key file that holds no key", "--master-key-file", "64 hexadecimal digits") { place in
            try PrivateFile.write(String(digits.dropLast()), to: place.keyFile)
            return []
        },
        Trap("a key file that is a pipe", "--master-key-file", "no regular file") { place in
            #expect(mkfifo(place.keyFile, 0o600) == 0)
            return []
        },
        Trap("a key file whose folder does not exist", "--master-key-file", "no such file") { place in
            ["--master-key-file", "\(place.keyFile)/nowhere/key"]
        },
        Trap("a key file that is a link into the data folder", "--master-key-file", "must not lie in the data folder") {
            place in
            #expect(mkdir(place.folder, 0o700) == 0)
            try PrivateFile.write(digits, to: place.folder + "/inside")
            #expect(symlink(place.folder + "/inside", place.keyFile) == 0)
            return []
        },
        Trap("a missing key file of a store that is there", "--master-key-file", "put the file back") { place in
            _ = try await place.makeProducer("mail")
            #expect(unlink(place.keyFile) == 0)
            return []
        },
        Trap("a store whose file was emptied", "--data", "removed or truncated", "restore a backup") { place in
            _ = try await place.makeProducer("mail")
            #expect(truncate(place.folder + "/reveille.db", 0) == 0)
            return []
        },
        Trap("a store whose file and key are gone", "--data", "removed or truncated") { place in
            _ = try await place.makeProducer("mail")
            #expect(unlink(place.folder + "/reveille.db") == 0 && unlink(place.keyFile) == 0)
            return []
        },
        Trap("a master key that is none", "REVEILLE_MASTER_KEY", "64 hexadecimal digits") { _ in
            ["--env-file", try file("key.env", "REVEILLE_MASTER_KEY=secret\n")]
        },
        Trap("a data folder that others may write into", "--data", "chmod 700") { place in
            #expect(mkdir(place.folder, 0o700) == 0 && chmod(place.folder, 0o770) == 0)
            return []
        },
        Trap("a data folder that everybody shares", "--data", "mode 1777", "name a folder that is reveille's alone") {
            place in
            #expect(mkdir(place.folder, 0o700) == 0 && chmod(place.folder, 0o1777) == 0)
            return []
        },
        Trap("a data folder that is a file", "--data", "is no folder") { place in
            try PrivateFile.write("", to: place.folder)
            return []
        },
        Trap("an environment file that is a pipe", "--env-file", "no regular file") { _ in
            ["--env-file", try pipe("pipe.env")]
        },
        Trap("an environment file with lines that are none", "--env-file", "line 1", "line 3") { _ in
            ["--env-file", try file("bad.env", "one\nREVEILLE_THREADS=2\nthree\n")]
        },
        Trap("a key of another certificate", "--tls-key", "is not the key of the certificate") { _ in
            let (certificate, key) = try strangers()
            return ["--tls-certificate", certificate, "--tls-key", key]
        },
        Trap("a certificate that is none and a missing key", "--tls-certificate", "--tls-key", "cannot be read") { _ in
            ["--tls-certificate", try file("no.pem", "no certificate"), "--tls-key", "/nonexistent/key"]
        },
        Trap("an authority that is none", "--apns-ca-file", "no certificate of an authority") { _ in
            let key = try file("apns.p8", P256PrivateKey.generate().pkcs8PEM.reveal())
            return [
                "--apple-push", "custom_apns", "--apns-team-id", "TEAMID6789", "--apns-key-id", "KEYID12345", "--apps",
                "org.example.app", "--apns-key-file", key, "--apns-ca-file", try file("ca.pem", "no authority"),
            ]
        },
        Trap("a list with nothing between its commas", "--visible-categories", "nothing between two commas") { _ in
            ["--visible-categories", ",,"]
        },
        Trap("a category that no post could name", "--visible-categories", "is no category") { _ in
            ["--visible-categories", String(repeating: "c", count: 65)]
        },
    ]

    @Test("what the check refuses the start refuses in the same words", arguments: traps)
    func alike(trap: Trap) async throws {
        let place = try StorePlace()
        let more = try await trap.set(place)
        // Of words that come twice the later ones are the trap's.
        let key = more.contains("--env-file") && trap.parts.contains("REVEILLE_MASTER_KEY")
        var words = ["--data", place.folder, "--listen", "127.0.0.1:0"]
        if !key, !more.contains("--master-key-file") { words += ["--master-key-file", place.keyFile] }
        let check = await CommandRun.of(["serve", "--check"] + words + more)
        #expect(check.status == .usage && check.out.isEmpty)
        for part in trap.parts { #expect(check.error.contains(part), "\(part) is not in: \(check.error)") }
        let start = await CommandRun.of(["serve"] + words + more)
        #expect(start.status == .usage && start.out.isEmpty)
        #expect(start.error == check.error)
    }

    @Test("everything that is wrong is told at once")
    func allAtOnce() async throws {
        let place = try StorePlace()
        let environment = try Self.file(
            "all.env", "REVEILLE_MASTER_KEY=short\nno line\nREVEILLE_THREDS=1\nREVEILLE_LEASE_SECONDS=0\n", mode: 0o644)
        #expect(mkdir(place.folder, 0o700) == 0 && chmod(place.folder, 0o777) == 0)
        let run = await CommandRun.of(
            "serve", "--check", "--env-file", environment, "--data", place.folder, "--listen", "nowhere",
            "--tls-certificate", "/nonexistent/chain", "--tls-key", "/nonexistent/key", "--apple-push", "custom_apns",
            "--apps", "org.example.app,com/example,org.example.app=mail,b=shiny", "--visible-categories", "mail,,call",
            "--allowed-origins", "https://good.example.org,app.example.org,https://bad.example.org/path",
            "--log-level", "loud")
        #expect(run.status == .usage)
        for part in [
            "all.env, line 2", "REVEILLE_MASTER_KEY, a secret", "REVEILLE_THREDS is no setting",
            "REVEILLE_LEASE_SECONDS",
            "--data", "--listen", "--tls-certificate: /nonexistent/chain", "--tls-key: /nonexistent/key",
            "REVEILLE_APNS_TEAM_ID", "REVEILLE_APNS_KEY_ID", "REVEILLE_APNS_KEY_FILE", "'com/example' is no app",
            "'org.example.app' stands there twice", "'shiny' is no shape", "--visible-categories",
            "'app.example.org' must",
            "'https://bad.example.org/path' must", "--log-level",
        ] { #expect(run.error.contains(part), "\(part) is not in: \(run.error)") }
        #expect(!run.error.contains("'https://good.example.org'"))
    }
}

@Suite("Parts of settings")
struct SettingPartTests {
    @Test(
        "an origin is written as browsers write it",
        arguments: [
            "https://app.example.org", "http://localhost:8080", "https://[2001:db8::1]:8443", "http://10.0.0.1",
        ])
    func goodOrigins(text: String) { #expect(WebOrigin.problem(text) == nil) }

    @Test(
        "an origin that no browser sends is refused",
        arguments: [
            "app.example.org", "https://", "https://app.example.org/", "https://App.example.org", "https://*", "*",
            "null",
            "https://app.example.org:443", "http://app.example.org:80", "https://app.example.org:", "https://a:0",
            "https://user@example.org", "https://a?b", "https://a#b", "ftp://example.org", "https://[::1",
            "https://bücher.example",
        ])
    func badOrigins(text: String) { #expect(WebOrigin.problem(text) != nil) }

    @Test(
        "a data folder belongs to root or us and only its owner writes into it",
        arguments: [
            (1_000, 0o700, 1_000, true), (0, 0o700, 1_000, true), (1_000, 0o755, 1_000, true), (7, 0o700, 0, true),
            (7, 0o700, 1_000, false), (1_000, 0o777, 1_000, false), (1_000, 0o1777, 1_000, false),
            (1_000, 0o770, 1_000, false), (0, 0o702, 0, false),
        ] as [(UInt32, UInt32, UInt32, Bool)])
    func folders(owner: UInt32, mode: UInt32, user: UInt32, isGood: Bool) {
        #expect((DataFolder.problem(owner: owner, mode: mode, user: user) == nil) == isGood)
    }

    @Test(
        "only a folder of our own that a group may write into is to be closed; of any other we keep away",
        arguments: [
            (1_000, 0o770, 1_000, true), (0, 0o720, 0, true), (1_000, 0o777, 1_000, false), (0, 0o702, 0, false),
            (0, 0o1777, 0, false), (1_000, 0o1770, 1_000, false), (0, 0o2775, 0, false), (0, 0o770, 1_000, false),
            (7, 0o770, 0, false), (7, 0o700, 1_000, false), (7, 0o777, 1_000, false),
        ] as [(UInt32, UInt32, UInt32, Bool)])
    func foldersOfOthers(owner: UInt32, mode: UInt32, user: UInt32, isOurs: Bool) throws {
        let problem = try #require(DataFolder.problem(owner: owner, mode: mode, user: user))
        #expect(problem.contains("chmod 700") == isOurs, "\(problem)")
        #expect(problem.contains("name a folder that is reveille's alone") == !isOurs, "\(problem)")
        #expect(!problem.contains("chown"))
    }
}

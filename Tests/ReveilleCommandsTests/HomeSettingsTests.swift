import ReveilleAPNs
import ReveilleBytes
import ReveilleCommands
import ReveilleCore
import ReveilleCrypto
import ReveilleNetwork
import ReveilleTesting
import Testing

@Suite("Settings are checked completely, and every problem names its setting")
struct HomeSettingsTests {
    static let store = ["REVEILLE_DATA": "/tmp/data", "REVEILLE_MASTER_KEY_FILE": "/tmp/master.key"]

    static func read(_ variables: [String: String]) throws -> HomeSettings {
        try HomeSettings.read(SettingsSource(environment: store.merging(variables) { $1 }))
    }

    static func problems(_ variables: [String: String]) -> [String] {
        do {
            _ = try read(variables)
            return []
        } catch let error as SettingsError {
            return error.problems
        } catch {
            return ["\(error)"]
        }
    }

    @Test("a server without push needs only its folder and master key")
    func smallest() throws {
        let settings = try Self.read([:])
        #expect(settings.apns == nil)
        #expect(settings.listen.text == "127.0.0.1:7780")
        #expect(settings.leaseSeconds == 60)
    }

    @Test("all parts of an incomplete credential are named at once")
    func incompleteCredential() {
        let problems = Self.problems(["REVEILLE_APPLE_PUSH": "custom_apns", "REVEILLE_APNS_KEY_ID": ""])
        for name in ["REVEILLE_APNS_TEAM_ID", "REVEILLE_APNS_KEY_ID", "REVEILLE_APNS_KEY_FILE", "REVEILLE_APPS"] {
            #expect(problems.contains { $0.contains(name) }, "\(name)")
        }
    }

    @Test(
        "a wrong value is refused under the name it was given by",
        arguments: [
            ("REVEILLE_LISTEN", "7780"), ("REVEILLE_LISTEN", "localhost"), ("REVEILLE_THREADS", "0"),
            ("REVEILLE_THREADS", "two"), ("REVEILLE_LOG_LEVEL", "loud"), ("REVEILLE_APPLE_PUSH", "on"),
            ("REVEILLE_APPS", "com.example.mail=shiny"), ("REVEILLE_APPS", "com/example"),
            ("REVEILLE_APPS", "com.example.mail=reveille+both"), ("REVEILLE_KEEP_READ_DAYS", "-1"),
            ("REVEILLE_LEASE_SECONDS", "0"), ("REVEILLE_ALLOWED_ORIGINS", "app.example.org"),
            ("REVEILLE_ALLOWED_ORIGINS", "https://app.example.org/path"), ("REVEILLE_TLS_KEY", "/tmp/x"),
            ("REVEILLE_LISTN", "127.0.0.1:1"), ("REVEILLE_MASTER_KEY_FILE", "/tmp/data/master.key"),
        ])
    func wrongValues(name: String, value: String) {
        let problems = Self.problems([name: value])
        #expect(!problems.isEmpty)
        let named = name == "REVEILLE_TLS_KEY" ? "REVEILLE_TLS_CERTIFICATE" : name
        #expect(problems.contains { $0.contains(named) }, "\(problems)")
    }

    @Test("the names of another server's settings are understood")
    func aliases() {
        let problems = Self.problems([
            "REVEILLE_APPLE_PUSH": "custom_apns", "APPLE_TEAM_ID": "short", "APPLE_KEY_ID": "ABC123DEFG",
            "APPLE_KEY_PATH": "/nonexistent/AuthKey.p8", "APNS_BUNDLE_ID": "com.example.mail",
        ])
        #expect(problems.contains { $0.hasPrefix("APPLE_TEAM_ID must be") })
        #expect(problems.contains { $0.hasPrefix("APPLE_KEY_PATH: /nonexistent/AuthKey.p8 cannot be read") })
        #expect(!problems.contains { $0.contains("REVEILLE_APPS") })
    }

    @Test("an environment file of Forward Email, as its guide shows it, is enough beside what only this server has")
    func foreignFile() throws {
        let folder = try TemporaryDirectory.make()
        defer { folder.remove() }
        let key = P256PrivateKey.generate()
        let path = folder.file("AuthKey_ABC123DEFG.p8")
        try PrivateFile.write(key.pkcs8PEM.reveal(), to: path)
        let theirs = [
            "APPLE_TEAM_ID": "TEAM123456", "APPLE_KEY_ID": "ABC123DEFG", "APPLE_KEY_PATH": path,
            "APNS_BUNDLE_ID": "net.forwardemail.mail", "APNS_PRODUCTION": "true",
        ]
        let ours = Self.store.merging(["REVEILLE_APPLE_PUSH": "custom_apns"]) { $1 }
        let settings = try HomeSettings.read(SettingsSource(environment: ours, file: theirs))
        let apns = try #require(settings.apns)
        #expect(apns.credential.teamID == "TEAM123456" && apns.credential.keyID == "ABC123DEFG")
        #expect(apns.credential.key.publicKey.x963 == key.publicKey.x963)
        #expect(settings.apps.app(topic: "net.forwardemail.mail") != nil)
        #expect(settings.warnings.isEmpty)
        let known = Set(HomeSettingDefinitions.all.flatMap(\.aliases))
        #expect(known == Set(theirs.keys))
    }

    @Test("the environment for everybody is checked, and explained when it would have changed something")
    func oneEnvironment() throws {
        let credential = [
            "REVEILLE_APPLE_PUSH": "custom_apns", "APPLE_TEAM_ID": "TEAM123456", "APPLE_KEY_ID": "ABC123DEFG",
            "REVEILLE_APNS_KEY": P256PrivateKey.generate().pkcs8PEM.reveal(), "APNS_BUNDLE_ID": "com.example.mail",
        ]
        let settings = try Self.read(credential.merging(["APNS_PRODUCTION": "false"]) { $1 })
        #expect(settings.warnings.contains { $0.hasPrefix("APNS_PRODUCTION is false") && $0.contains("sandbox") })
        let problems = Self.problems(credential.merging(["APNS_PRODUCTION": "yes"]) { $1 })
        #expect(problems == ["APNS_PRODUCTION must be one of: true, false"])
    }

    @Test("a complete credential gives both environments")
    func complete() throws {
        let key = P256PrivateKey.generate()
        let settings = try Self.read([
            "REVEILLE_APPLE_PUSH": "custom_apns", "REVEILLE_APNS_TEAM_ID": "TEAMID6789",
            "REVEILLE_APNS_KEY_ID": "KEYID12345", "REVEILLE_APNS_KEY": key.pkcs8PEM.reveal(),
            "REVEILLE_APPS": "com.example.mail=mail,com.example.chat", "REVEILLE_VISIBLE_CATEGORIES": "message, call",
        ])
        let apns = try #require(settings.apns)
        #expect(apns.production.host == "api.push.apple.com")
        #expect(apns.sandbox.host == "api.sandbox.push.apple.com")
        #expect(settings.apps.app(topic: "com.example.mail")?.shape == .mail)
        #expect(settings.categories.alert(category: "call", requested: nil) == .visible)
        #expect(settings.categories.alert(category: "other", requested: .visible) == .silent)
    }

    @Test("credentials that nothing uses are worth a warning")
    func unused() throws {
        #expect(try Self.read(["APPLE_TEAM_ID": "TEAMID6789"]).warnings.count == 1)
    }

    @Test("a secret is refused as a flag")
    func secretFlag() {
        let source = SettingsSource(flags: ["--apns-key": "x"], environment: Self.store)
        var reader = SettingsReader(source)
        _ = reader.text(HomeSettingDefinitions.apnsKey)
        #expect(reader.problems.contains { $0.contains("--apns-key") && $0.contains("REVEILLE_APNS_KEY") })
    }

    @Test("flags come before variables, variables before the file")
    func order() {
        var source = SettingsSource(file: ["REVEILLE_THREADS": "3"])
        #expect(source.find(HomeSettingDefinitions.threads)?.text == "3")
        source.environment["REVEILLE_THREADS"] = "4"
        #expect(source.find(HomeSettingDefinitions.threads)?.text == "4")
        source.flags["--threads"] = "5"
        #expect(source.find(HomeSettingDefinitions.threads)?.text == "5")
    }
}

@Suite("A credential file is kept as a secret")
struct CredentialFileTests {
    static func facts(owner: UInt32 = 1_000, mode: UInt32, isRegular: Bool = true) -> FileContents.Facts {
        FileContents.Facts(owner: owner, mode: mode, isRegular: isRegular, size: 1)
    }

    @Test("the owner's and root's files pass", arguments: [0o600, 0o400, 0o640] as [UInt32])
    func good(mode: UInt32) {
        #expect(CredentialFile.problem(Self.facts(mode: mode), user: 1_000) == nil)
        #expect(CredentialFile.problem(Self.facts(owner: 0, mode: mode), user: 1_000) == nil)
    }

    @Test(
        "files open to others, of others, or no files are refused", arguments: [0o644, 0o604, 0o660, 0o666] as [UInt32])
    func bad(mode: UInt32) {
        #expect(CredentialFile.problem(Self.facts(mode: mode), user: 1_000)?.contains("chmod") == true)
        #expect(CredentialFile.problem(Self.facts(owner: 7, mode: 0o600), user: 1_000)?.contains("chown") == true)
        #expect(CredentialFile.problem(Self.facts(mode: 0o600, isRegular: false), user: 1_000) != nil)
    }
}

import Glibc
import ReveilleBytes
import ReveilleCommands
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTelemetry
import ReveilleTesting
import Testing

@Suite("The master key may be a credential of systemd", .temporaryDirectory, .timeLimit(.minutes(5)))
struct SystemdCredentialTests {
    private static func variables(_ place: StorePlace, credentials: String) -> [String: String] {
        ["REVEILLE_LISTEN": "127.0.0.1:0", "REVEILLE_DATA": place.folder, "CREDENTIALS_DIRECTORY": credentials]
    }

    @Test("a server works with the key of the credential when no other is given")
    func credential() async throws {
        let place = try StorePlace()
        let credentials = try #require(TemporaryDirectory.current).file("credentials")
        #expect(mkdir(credentials, 0o700) == 0)
        let key = MasterKey.generate()
        try PrivateFile.write(key.text().reveal() + "\n", to: credentials + "/reveille-master-key")
        let settings = try HomeSettings.read(
            SettingsSource(environment: Self.variables(place, credentials: credentials)))
        let server = try await HomeServer.start(settings, log: .silent)
        await server.stop()
        // The store is the key's: it opens with it and with no other.
        try await place.withStore(MasterKeys(current: key)) { _ in }
        await #expect(throws: StoreError.self) {
            try await place.withStore(MasterKeys(current: .generate())) { _ in }
        }
    }

    @Test("a rotation waits for a restart with the new copy, and says so")
    func rotation() async throws {
        let place = try StorePlace()
        let credentials = try #require(TemporaryDirectory.current).file("credentials")
        #expect(mkdir(credentials, 0o700) == 0)
        _ = await CommandRun.of("keys", "make-master", place.keyFile)
        func startAgain() async throws -> HomeServer {
            // systemd copies the file as it is at each start.
            unlink(credentials + "/reveille-master-key")
            try PrivateFile.write(try FileContents.text(place.keyFile), to: credentials + "/reveille-master-key")
            let settings = try HomeSettings.read(
                SettingsSource(environment: Self.variables(place, credentials: credentials)))
            return try await HomeServer.start(settings, log: .silent)
        }
        func forget() async throws -> String {
            let said = Probe("")
            let settings = StoreSettings(folder: place.folder, keyFile: place.keyFile, key: nil)
            let terminal = CommandRun.terminal(out: Probe(""), error: said)
            do {
                try await FormerKeys(keys: place.keys(), store: settings, looks: 1).letGo(terminal)
            } catch let failure as CommandFailure {
                return said.value + failure.message
            }
            return said.value
        }
        let server = try await startAgain()
        _ = await CommandRun.of("keys", "rotate-master", place.keyFile)
        let refusal = try await forget()
        #expect(
            refusal.contains("waiting at most 1 s") && refusal.contains("from a systemd credential does not: restart"))
        #expect(refusal.contains("nothing was changed"), "\(refusal)")
        await server.stop()
        let restarted = try await startAgain()
        #expect(try await forget() == "")
        await restarted.stop()
        try await place.withStore(MasterKeys(current: place.keys().current)) { _ in }
    }

    @Test("a credential that the unit does not load is told, and no key is made in its place")
    func missing() throws {
        let place = try StorePlace()
        let credentials = try #require(TemporaryDirectory.current).path
        let error = #expect(throws: SettingsError.self) {
            try HomeSettings.read(SettingsSource(environment: Self.variables(place, credentials: credentials)))
        }
        #expect(error?.problems.contains { $0.contains("LoadCredential=reveille-master-key") } == true)
        #expect(access(credentials + "/reveille-master-key", F_OK) != 0)
    }

    @Test("a key file comes before the credential")
    func order() throws {
        let place = try StorePlace()
        var variables = Self.variables(place, credentials: "/nonexistent")
        variables["REVEILLE_MASTER_KEY_FILE"] = place.keyFile
        #expect(try HomeSettings.read(SettingsSource(environment: variables)).store.keyFile == place.keyFile)
    }
}

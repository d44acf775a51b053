internal import Glibc
internal import ReveilleAPNs
internal import ReveilleBytes
internal import ReveilleCore
internal import ReveilleCrypto
internal import ReveilleEmulator
internal import ReveilleJSON
internal import ReveilleNetwork
internal import ReveilleRuntime
internal import ReveilleStorage
internal import ReveilleTLS
internal import ReveilleTelemetry

/// The emulator and the home server of a demo, on loopback with a temporary store.
final class DemoWorld: Sendable {
    static let teamID = "DEMOTEAM01"
    static let keyID = "DEMOKEY001"
    static let topic = "org.example.mail"

    let emulator: APNsEmulator
    let server: HomeServer
    let caller: APICaller
    let url: String
    /// Verifies the team's provider tokens.
    let publicKey: P256PublicKey
    private let folder: String
    private let loop: EventLoop

    /// Measures the patience of the demo.
    var timer: EventLoop { loop }
    /// The database file.
    var databasePath: String { folder + "/reveille.db" }

    private init(
        emulator: APNsEmulator, server: HomeServer, caller: APICaller, url: String, publicKey: P256PublicKey,
        folder: String, loop: EventLoop
    ) {
        self.emulator = emulator
        self.publicKey = publicKey
        self.server = server
        self.caller = caller
        self.url = url
        self.folder = folder
        self.loop = loop
    }

    /// Starts both; everything listens on ports that the kernel chooses.
    static func start(log: Log, sabotage: DemoSabotage) async throws -> DemoWorld {
        let folder = try temporaryFolder()
        let key = P256PrivateKey.generate()
        var configuration = APNsEmulatorConfiguration()
        configuration.addresses = [.production: .loopback(port: 0), .sandbox: .loopback(port: 0)]
        configuration.providerTokens = .signedBy([AppleKey(teamID: teamID, keyID: keyID, publicKey: key.publicKey)])
        configuration.bundleIDs = [topic]
        configuration.wire = sabotage.wire
        let emulator: APNsEmulator
        do throws(EmulatorError) {
            emulator = try APNsEmulator(configuration, log: log)
            try emulator.start()
        } catch {
            TemporaryFolder.remove(folder)
            throw CommandFailure("the emulator cannot run on loopback (\(error.code.rawValue))")
        }
        do {
            let server = try await HomeServer.start(
                try settings(key, emulator, folder: folder), log: log)
            let loop = EventLoop(name: "demo")
            loop.start()
            let url = "http://\(server.address.text)"
            let caller = try APICaller(url: url, loop: loop)
            return DemoWorld(
                emulator: emulator, server: server, caller: caller, url: url, publicKey: key.publicKey, folder: folder,
                loop: loop)
        } catch {
            await emulator.stop()
            TemporaryFolder.remove(folder)
            throw error
        }
    }

    /// Stops everything and removes the store.
    func stop() async {
        await caller.close()
        await server.stop()
        await emulator.stop()
        loop.stop()
        TemporaryFolder.remove(folder)
    }

    private static func temporaryFolder() throws -> String {
        do {
            return try TemporaryFolder.make("reveille-demo")
        } catch {
            throw CommandFailure(error.reason)
        }
    }

    private static func settings(
        _ key: P256PrivateKey, _ emulator: APNsEmulator, folder: String
    ) throws -> HomeSettings {
        func place(_ environment: AppleEnvironment) -> ProviderAddress {
            ProviderAddress(host: "localhost", port: emulator.address(of: environment)?.port ?? 0)
        }
        return HomeSettings(
            listen: .loopback(port: 0), tls: nil,
            store: StoreSettings(folder: folder, keyFile: folder + ".key", key: nil),
            apns: .init(
                credential: try APNsCredential(teamID: teamID, keyID: keyID, key: key), production: place(.production),
                sandbox: place(.sandbox),
                tls: try HomeSettings.APNsSettings.clientTLS(authority: emulator.authorityPEM),
                connections: 1),
            apps: AppRegistry([App(identifier: topic, topics: [topic], shape: .reveille)]),
            categories: CategoryRegistry([Category(name: "message", alert: .visible)]), leaseSeconds: 60,
            devicesPerProfile: 10, postsPerSecond: 0, allowedOrigins: [], threads: 2, drainSeconds: 5,
            logLevel: .warning, retention: Retention(), warnings: [])
    }
}

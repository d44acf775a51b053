import Foundation
import PrivacyAudit
import ReveilleBytes
import ReveilleCommands
import ReveilleCrypto
import ReveilleEmulator
import ReveilleJSON
import ReveilleNetwork
import ReveilleRuntime
import ReveilleSQLite
import ReveilleStorage
import ReveilleTelemetry
import ReveilleTesting

/// The whole road, wired as `serve` wires it: server, store, sender, a tap on the wire, and the emulated Apple.
///
/// Everything that leaves the server goes into ``ledger``; everything private comes from ``canaries``.
final class Road: Sendable {
    let canaries: CanarySet
    let ledger: CaptureLedger
    let log: LedgerSink
    let emulator: APNsEmulator
    let server: HomeServer
    let faults: FaultInjectingVFS
    let folder: TemporaryDirectory
    private let tap: Tap
    private let loop: EventLoop

    private init(
        canaries: CanarySet, ledger: CaptureLedger, log: LedgerSink, emulator: APNsEmulator, server: HomeServer,
        faults: FaultInjectingVFS, folder: TemporaryDirectory, tap: Tap, loop: EventLoop
    ) {
        self.canaries = canaries
        self.ledger = ledger
        self.log = log
        self.emulator = emulator
        self.server = server
        self.faults = faults
        self.folder = folder
        self.tap = tap
        self.loop = loop
    }

    /// Starts everything, runs `body`, and stops everything.
    ///
    /// - Parameter plants: fields whose canary is put where another's belongs.
    static func run<Result>(
        seed: UInt64, plants: [PrivateField: PrivateField] = [:], _ body: (Road) async throws -> Result
    ) async throws -> Result {
        let folder = try TemporaryDirectory.make()
        defer { folder.remove() }
        let loop = EventLoop(name: "audit")
        loop.start()
        defer { loop.stop() }
        let canaries = CanarySet(random: SeededRandom(seed: seed), plants: plants)
        let ledger = CaptureLedger()
        let log = LedgerSink(ledger)
        let emulator = try APNsEmulator()
        let apple = try emulator.start()
        let tap = try Tap(to: apple, authority: emulator.authorityPEM, ledger: ledger, loop: loop)
        let faults = FaultInjectingVFS()
        let source = try settings(canaries, folder: folder, tap: tap)
        let settings = try HomeSettings.read(source)
        let server = try await HomeServer.start(
            settings, log: Log(level: settings.logLevel, sink: log, component: "reveille"), faults: faults)
        let road = Road(
            canaries: canaries, ledger: ledger, log: log, emulator: emulator, server: server, faults: faults,
            folder: folder, tap: tap, loop: loop)
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body(road)) } catch { result = .failure(error) }
        await server.stop()
        await tap.stop()
        await emulator.stop()
        return try result.get()
    }

    /// The topics of the app's installs, one for each shape.
    static let shapes = ["reveille", "silo", "silo_shipped", "mail"]

    func topic(_ shape: String) -> String { Self.topic(canaries, shape) }

    private static func topic(_ canaries: CanarySet, _ shape: String) -> String {
        canaries.send(.topic) + "." + shape.replacing("_", with: "-")
    }

    private static func settings(
        _ canaries: CanarySet, folder: TemporaryDirectory, tap: Tap
    ) throws -> SettingsSource {
        typealias Table = HomeSettingDefinitions
        let authority = folder.file("authority.pem")
        try Data(tap.authorityPEM.utf8).write(to: URL(filePath: authority))
        let key = P256PrivateKey.generate().pkcs8PEM.reveal()
        for line in key.split(separator: "\n") where !line.hasPrefix("-") { canaries.keep(.providerKey, String(line)) }
        let url = "https://localhost:\(tap.port)"
        return SettingsSource(environment: [
            Table.listen.variable: "127.0.0.1:0", Table.dataFolder.variable: folder.file("data"),
            Table.masterKey.variable: canaries.send(.masterKey), Table.applePush.variable: "custom_apns",
            Table.apnsTeamID.variable: "TEAMID6789", Table.apnsKeyID.variable: "KEYID12345",
            Table.apnsKey.variable: key, Table.apnsProductionURL.variable: url, Table.apnsSandboxURL.variable: url,
            Table.apnsAuthorityFile.variable: authority, Table.apnsConnections.variable: "1",
            Table.apps.variable: shapes.map { "\(topic(canaries, $0))=\($0)" }.joined(separator: ","),
            Table.visibleCategories.variable: canaries.send(.category), Table.logLevel.variable: "debug",
            Table.drainSeconds.variable: "2", Table.allowedOrigins.variable: "https://allowed.example.org",
        ])
    }

    // MARK: Requests

    /// Sends a request, and keeps the answer when it is a refusal.
    ///
    /// - Parameter label: names the request in findings; never anything of it.
    @discardableResult
    func send(_ request: AuditRequest, _ label: String) async throws -> Reply {
        try await send(request.octets(host: canaries.send(.serverName)), label)
    }

    /// Sends octets, and keeps the answer when it is a refusal.
    @discardableResult
    func send(_ octets: [UInt8], _ label: String) async throws -> Reply {
        let reply = try await exchange(octets) { _ in false }
        if reply.status >= 400 { ledger.note(.problems, "\(reply.status) \(label)", reply.octets) }
        return reply
    }

    /// Sends octets over a connection of their own, and keeps nothing.
    func exchange(_ octets: [UInt8], until isComplete: @escaping @Sendable ([UInt8]) -> Bool) async throws -> Reply {
        try await AuditClient(on: loop).exchange(octets, with: server.address, until: isComplete)
    }

    /// Sends a request that must succeed.
    @discardableResult
    func succeed(_ request: AuditRequest, _ label: String) async throws -> Reply {
        let reply = try await send(request, label)
        guard (200..<300).contains(reply.status) else { throw RoadBlocked(label: label, answer: reply.text) }
        return reply
    }

    /// Sends a request for somebody whose content it is not, and keeps whatever is answered.
    @discardableResult
    func sendForeign(_ who: String, _ request: AuditRequest, _ label: String) async throws -> Reply {
        let reply = try await send(request, label)
        ledger.note(.foreignAnswers, "\(who) \(label)", reply.octets)
        return reply
    }
}

/// The road cannot go on.
struct RoadBlocked: Error {
    let label: String
    let answer: String
}

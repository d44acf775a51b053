import Foundation
import PrivacyAudit
import ReveilleCommands
import ReveilleCore
import ReveilleEmulator
import ReveilleRuntime
import ReveilleTelemetry
import ReveilleTesting
import Testing

@Suite("Nothing private leaves the process on the road to Apple", .timeLimit(.minutes(5)))
struct PrivacyAuditTests {
    @Test("no private text is found on any way out, in any form", arguments: TestSeed.both)
    func road(seed: UInt64) async throws {
        try await Road.run(seed: seed) { road in
            let journey = try await road.walk()
            try await road.askCommands()
            #expect(journey.surprises.isEmpty, "\(journey.surprises)")
            #expect(journey.emptySends.isEmpty, "sends without a canary prove nothing: \(journey.emptySends)")
            #expect(road.canaries.unsent.isEmpty, "nothing was sent of \(road.canaries.unsent)")

            let captured = road.ledger.joined
            let audit = Audit(road.canaries.all)
            let findings = captured.flatMap(audit.search)
            let leaks = Allowance.leaks(among: findings)
            #expect(leaks.isEmpty, "\(TestSeed.comment(seed)) \(leaks.map(\.description).joined(separator: "\n"))")
            #expect(!road.ledger.captured.contains { Audit.isCompressed($0.octets) })
            let idle = Allowance.idle(among: findings)
            #expect(idle.isEmpty, "allowed and never seen: \(idle.map(\.description))")
            for way in WayOut.allCases where !way.isObservedOutside {
                #expect(
                    captured.contains { $0.way == way && !$0.octets.isEmpty }, "nothing was captured of \(way.rawValue)"
                )
            }
            try checkWakes(journey)
        }
    }

    /// Titles take the place of texts that do leave, each on the ways given: the live road shows that captures are not empty.
    @Test("a private text in place of one that belongs there is found on the live road")
    func livePlants() async throws {
        let seed = TestSeed.fixed
        // The app's bundle id is what Apple must see, and the name of an unknown field what its sender is told.
        let plants: [PrivateField: PrivateField] = [.sender: .topic, .subject: .fieldName, .folder: .profile]
        try await Road.run(seed: seed, plants: plants) { road in
            _ = try await road.walk()
            try await road.askCommands()
            let log = Log(level: .debug, sink: road.log, component: "audit")
            log.debug("planted", ["value": .configured(road.canaries.send(.title))])
            let leaks = Allowance.leaks(among: road.ledger.joined.flatMap(Audit(road.canaries.all).search))
            func ways(_ field: PrivateField) -> Set<WayOut> {
                Set(leaks.filter { if case .leak(field, _) = $0.kind { true } else { false } }.map(\.way))
            }
            #expect(ways(.sender) == [.apnsRequests, .apnsOctets, .foreignAnswers, .files])
            #expect(ways(.subject) == [.problems, .terminal])
            #expect(ways(.folder) == [.files])
            #expect(ways(.title) == [.log])
            #expect(leaks.allSatisfy { if case .leak(_, .text) = $0.kind { true } else { false } })
        }
    }

    /// Every push is exactly one of the shapes, of a size that tells nothing, in the headers of the table.
    private func checkWakes(_ journey: Journey) throws {
        #expect(!journey.pushes.isEmpty)
        let verification = try #require(journey.verification)
        let code = try #require(WakeForm(verification.body))
        #expect(code.reason == .verify && code.deliveryID.isEmpty)
        #expect(Set(verification.headers.map(\.name)) == PrivacyTable.names(of: code.mode))
        var sizes: [String: Set<Int>] = [:]
        var shapes: Set<Shape> = []
        var modes: Set<WakeMode> = []
        for push in journey.pushes {
            guard let form = WakeForm(push.body) else {
                Issue.record("a push is of no shape: \(String(decoding: push.body, as: UTF8.self))")
                continue
            }
            shapes.insert(form.shape)
            modes.insert(form.mode)
            sizes["\(form.shape) \(form.mode) \(form.reason)", default: []].insert(push.body.count)
            #expect(form.deliveryID.utf8.count == 26 && form.deliveryID.utf8.allSatisfy(Self.isBase32))
            #expect(journey.devices[push.token ?? ""]?.serverDeviceID == form.serverDeviceID)
            let names = push.headers.map(\.name)
            #expect(Set(names) == PrivacyTable.names(of: form.mode), "\(names)")
            #expect(names.count == Set(names).count)
            for (name, value) in push.headers {
                sizes["\(name) \(form.mode)\(name == "apns-topic" ? form.shape.rawValue : "")", default: []]
                    .insert(value.utf8.count)
            }
        }
        #expect(shapes == Set(Shape.allCases))
        #expect(modes == Set(WakeMode.allCases))
        for (what, lengths) in sizes { #expect(lengths.count == 1, "\(what) has lengths \(lengths): content may show") }
        #expect(Set(journey.pushes.map { WakeForm($0.body)?.deliveryID ?? "" }).count == journey.pushes.count)
    }

    private static func isBase32(_ octet: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(octet)
            || (UInt8(ascii: "2")...UInt8(ascii: "7")).contains(octet)
    }
}

extension Road {
    /// Commands that are given secrets in wrong places, and say so.
    func askCommands() async throws {
        let key = canaries.send(.masterKey)
        let word = canaries.send(.credential)
        let name = canaries.send(.fieldName)
        let title = canaries.send(.title)
        let environment = folder.file("wrong.env")
        let lines = [
            "REVEILLE_MASTER_KEY=\(key)x\(word)", "REVEILLE_APPLE_PUSH=custom_apns", "REVEILLE_APNS_KEY=\(word)",
            "REVEILLE_APNS_TEAM_ID=\(word)", "REVEILLE_DATA=\(folder.file("none"))", "REVEILLE_LOG_LEVEL=loud",
        ]
        let file = folder.file("key.p8")
        for (path, text) in [(environment, lines.joined(separator: "\n")), (file, "-----BEGIN \(word)-----\n\(key)\n")]
        {
            _ = FileManager.default.createFile(
                atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        }
        for arguments in [
            ["serve", "--env-file", environment], ["serve", "--check", "--env-file", environment],
            ["serve", "--master-key", key], ["keys", "check", file], ["notify", "--\(name)"],
            ["notify", "--\(name)=\(title)"],
            ["notify", "--to", title, "--urgency", title], ["notify", title, title], [name],
        ] {
            let terminal = Terminal(
                out: { [ledger] in ledger.note(.terminal, "out", $0) },
                error: { [ledger] in ledger.note(.terminal, "error", $0) })
            _ = await Program.run(arguments, terminal: terminal)
        }
    }
}

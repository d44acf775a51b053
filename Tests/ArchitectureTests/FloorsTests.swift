import Foundation
import Testing

/// The house has floors, and imports go down only.
@Suite("The manifest keeps the floors of the house")
struct FloorsTests {
    static let floors: [[String]] = [
        ["CNghttp2", "COpenSSL", "CSQLite", "CLinux"],
        ["ReveilleBytes", "ReveilleRuntime"],
        ["ReveilleJSON", "ReveilleTelemetry"],
        ["ReveilleCrypto", "ReveilleTLS", "ReveilleHTTP2", "ReveilleSQLite", "ReveilleHTTP1", "ReveilleWebSocket"],
        ["ReveilleNetwork", "ReveilleCore"],
        ["ReveilleEndpoints", "ReveilleSending", "ReveilleStorage"],
        ["ReveilleAPNs", "ReveilleFCM", "ReveilleWebPush", "ReveilleStorageSQLite"],
        ["ReveilleInbox", "ReveilleDispatcher"],
        ["ReveilleHomeAPI", "ReveilleEmulator"],
        ["ReveilleCommands"],
        ["reveille"],
    ]

    /// Which targets may use a C library: one gate each, two where the library has two sides.
    static let gates: [String: Set<String>] = [
        "CNghttp2": ["ReveilleHTTP2"],
        "COpenSSL": ["ReveilleCrypto", "ReveilleTLS"],
        "CSQLite": ["ReveilleSQLite"],
        "CLinux": ["ReveilleRuntime", "ReveilleNetwork", "ReveilleStorageSQLite", "ReveilleCommands"],
    ]

    @Test("the page on the architecture draws these floors")
    func drawn() throws {
        // The tests may be seen through a link; the documents stand beside where it points.
        let tests = SourceTree.root.appending(path: "Tests").resolvingSymlinksInPath()
        let page = try String(
            contentsOf: tests.appending(path: "../docs/architecture.md").standardized, encoding: .utf8)
        var drawn = [[String]](repeating: [], count: Self.floors.count)
        for row in page.matches(of: /\n\| ([0-9]+) \| ([^|]+) \| [^|]+ \|/) {
            let number = try #require(Int(row.output.1))
            try #require(drawn.indices.contains(number))
            drawn[number] += row.output.2.matches(of: /`([A-Za-z0-9]+)`/).map { String($0.output.1) }
        }
        #expect(drawn.map { $0.sorted() } == Self.floors.map { $0.sorted() })
    }

    @Test("every target stands on a floor")
    func everyTargetHasAFloor() throws {
        let placed = Set(Self.floors.joined())
        let targets = try Manifest.current.get().targets
            .filter { $0.type != "test" && !Self.shared.contains($0.name) }
        #expect(Set(targets.map(\.name)) == placed)
    }

    @Test("a target depends only on floors below its own")
    func dependenciesGoDown() throws {
        var floor: [String: Int] = [:]
        for (number, names) in Self.floors.enumerated() {
            for name in names { floor[name] = number }
        }
        for target in try Manifest.current.get().targets {
            guard let own = floor[target.name] else { continue }
            for dependency in target.dependencies {
                let below = try #require(floor[dependency.name], "\(dependency.name) has no floor")
                #expect(below < own, "\(target.name) may not use \(dependency.name)")
            }
        }
    }

    @Test("a C library is used by its gate only", arguments: gates.keys.sorted())
    func oneGate(library: String) throws {
        let users = try Manifest.current.get().targets
            .filter { $0.type != "test" && !Self.shared.contains($0.name) }
            .filter { $0.dependencies.contains { $0.name == library } }
        #expect(Set(users.map(\.name)).isSubset(of: Self.gates[library] ?? []))
    }

    @Test("the emulator is built on nothing that holds shapes, outcomes or request building")
    func emulatorIsIndependent() throws {
        let foundations = try Manifest.current.get().foundations(of: "ReveilleEmulator")
        #expect(!foundations.isEmpty)
        #expect(
            foundations.isDisjoint(with: [
                "ReveilleCore", "ReveilleAPNs", "ReveilleFCM", "ReveilleWebPush", "ReveilleEndpoints",
                "ReveilleSending",
                "ReveilleDispatcher",
            ]))
    }

    @Test("only the wiring names an engine of the store and a provider together")
    func onlyTheWiringNamesBoth() throws {
        let manifest = try Manifest.current.get()
        for target in manifest.targets where target.type == "regular" {
            let foundations = manifest.foundations(of: target.name)
            if foundations.isSuperset(of: ["ReveilleStorageSQLite", "ReveilleAPNs"]) {
                #expect(target.name == "ReveilleCommands")
            }
        }
    }

    /// Libraries that only tests use.
    static let shared: Set<String> = [
        "LaneTesting", "PrivacyAudit", "RawHTTP", "RawSockets", "ReaderFuzzing", "ReportedCases", "ReveilleTesting",
        "StorageConformance",
    ]
}

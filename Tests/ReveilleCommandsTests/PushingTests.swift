import Foundation
import ReveilleBytes
import ReveilleEmulator
import ReveilleHTTP2
import ReveilleTesting
import Testing

@Suite("A wired server in front of Apple", .temporaryDirectory, .timeLimit(.minutes(5)))
struct PushingTests {
    @Test("one provider token serves the connections of both environments")
    func oneProviderToken() async throws {
        try await PushingHome.with { home in
            try await home.register(1, in: .production)
            try await home.register(2, in: .sandbox)
            try await home.notify()
            try await home.apple.wait { $0.received >= 2 }
            let seen = await home.apple.seen()
            #expect(Set(seen.map(\.environment)) == [.production, .sandbox])
            let tokens = seen.compactMap { $0.head.fields["authorization"] }
            #expect(tokens.count == seen.count)
            // A signature is never made twice alike: two tokens of one key and time differ too.
            #expect(Set(tokens).count == 1)
        }
    }

    @Test("the figures move with what is posted and what Apple answers")
    func figures() async throws {
        try await PushingHome.with { home in
            try await home.register(1, in: .production)
            try await home.register(2, in: .sandbox)
            for _ in 1...2 { try await home.notify() }
            let expected = [
                "reveille_apns_tries_total{result=\"accepted\"} 4", "reveille_apns_connections_opened_total 2",
                "reveille_tries_total{lane=\"apns-production\"} 2", "reveille_tries_total{lane=\"apns-sandbox\"} 2",
                "reveille_try_outcomes_total{lane=\"apns-sandbox\",outcome=\"accepted\"} 2",
                "reveille_commit_to_wire_seconds_count{lane=\"apns-production\"} 2",
                "reveille_http_requests_total{route=\"POST /api/v1/notifications\",status=\"2xx\"} 2",
                "reveille_http_request_seconds_count{route=\"POST /api/v1/notifications\"} 2",
            ]
            var missing = expected
            // Answers of Apple are looked for, with requests as a pause between.
            for _ in 0..<2_000 where !missing.isEmpty {
                let text = try await home.metrics()
                missing = expected.filter { !text.contains($0 + "\n") }
            }
            #expect(missing.isEmpty)
        }
    }

    @Test("the page on metrics has a row for each family of a running server, with its type and labels, and no other")
    func page() async throws {
        let families = try await Self.families()
        let rows = try DocumentsTests.text("operating/metrics.md").matches(
            of: /\n\| `(reveille_[a-z_]+)` \| ([a-z]+) \| ([^|]*) \| ([^|]*) \|/)
        #expect(rows.count == families.count)
        #expect(Set(rows.map { String($0.output.1) }) == Set(families.keys))
        for row in rows {
            let name = String(row.output.1)
            let family = try #require(families[name])
            #expect(row.output.2 == family.kind, "\(name)")
            let labels = row.output.3.matches(of: /`([a-z_]+)`/).map { String($0.output.1) }
            #expect(labels == family.labels, "\(name)")
            #expect(row.output.4.contains(family.help), "\(name)")
        }
    }

    /// What a family says of itself.
    private struct Family {
        let kind: String
        let help: String
        let labels: [String]
    }

    private static func families() async throws -> [String: Family] {
        let text = Probe("")
        try await PushingHome.with { home in
            let shown = try await home.metrics()
            text.update { $0 = shown }
        }
        var families: [String: Family] = [:]
        for part in text.value.components(separatedBy: "# HELP ").dropFirst() {
            let lines = part.split(separator: "\n")
            let head = try #require(lines[0].wholeMatch(of: /([a-z_]+) (.+)\./))
            let kind = try #require(lines[1].split(separator: " ").last)
            let labels = lines[2].matches(of: /([a-z_]+)="/).map { String($0.output.1) }.filter { $0 != "le" }
            families[String(head.output.1)] = Family(
                kind: String(kind), help: String(head.output.2), labels: labels)
        }
        return families
    }
}

import Foundation
import Glibc
import ReveilleJSON
import ReveilleNetwork
import ReveilleTelemetry
import ReveilleTesting
import Testing

@Suite("What strangers do fills a bounded part of the log", .temporaryDirectory, .timeLimit(.minutes(5)))
struct LogBoundTests {
    @Test("a thousand refused requests leave ten lines")
    func refusals() async throws {
        let directory = try #require(TemporaryDirectory.current)
        let server = try ProgramProcess(
            ["serve", "--json"],
            variables: [
                "REVEILLE_LISTEN": "127.0.0.1:0", "REVEILLE_DATA": directory.file("data"),
                "REVEILLE_MASTER_KEY_FILE": directory.file("master.key"),
            ], log: directory.file("log"))
        let url = try #require(try await server.announcement()["url"]?.string)
        try await withEventLoop(name: "client") { loop in
            let client = try HTTPClient.plain(url, loop: loop)
            for _ in 0..<1_000 { #expect(try await client.call("GET", "/nowhere").status == 404) }
            await client.close()
        }
        server.send(SIGTERM)
        #expect(try await server.end() == .exited(0))
        let text = try String(contentsOfFile: server.log, encoding: .utf8)
        let refusals = text.split(separator: "\n").filter { $0.contains("request refused") }
        // A run that lasts longer than a minute opens another one, with a line that tells what was left out.
        #expect((ThrottlingSink.linesPerMinute...5 * ThrottlingSink.linesPerMinute).contains(refusals.count))
        #expect(text.contains(#""message":"stopped""#))
    }
}

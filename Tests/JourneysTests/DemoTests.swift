import ReveilleCommands
import ReveilleRuntime
import Testing

@Suite("The demo shows live objects, and notices when one is not as it should be", .serialized)
struct DemoTests {
    /// What a run printed, and how it ended.
    private static func run(
        _ sabotage: DemoSabotage
    ) async throws -> (status: ReveilleCommands.ExitStatus, out: String, remarks: String) {
        let out = Locked("")
        let remarks = Locked("")
        let terminal = Terminal(
            out: { text in out.withLock { $0 += text } }, error: { text in remarks.withLock { $0 += text } })
        let status = try await DemoCommand.run(keepRunning: false, terminal: terminal, sabotage: sabotage)
        return (status, out.withLock { $0 }, remarks.withLock { $0 })
    }

    @Test("undisturbed it walks through all steps and ends with status 0")
    func undisturbed() async throws {
        let result = try await Self.run(.none)
        #expect(result.status == .success)
        #expect(result.remarks.isEmpty)
        for number in 1...DemoStep.allCases.count { #expect(result.out.contains("\n\(number). ")) }
        #expect(result.out.contains("6 texts in 9 forms each: 0 found"))
        // What was posted is shown where it was posted, twice where it was fetched, and twice as the app shows it.
        #expect(result.out.split(separator: "\n").count { $0.contains("Dr. Winter wrote to you") } == 5)
    }

    @Test("with the emulator stopped it names the step that misses Apple")
    func emulatorStopped() async throws {
        let result = try await Self.run(DemoSabotage(stopEmulatorBefore: .post))
        #expect(result.status == .failure)
        #expect(result.remarks.contains("'apple'"))
    }

    @Test(
        "one byte that changes on the wire is noticed, and the step that sees it named", arguments: [7, 60, 200, 270])
    func changedByte(position: Int) async throws {
        let result = try await Self.run(
            DemoSabotage { body in
                if body.indices.contains(position) { body[position] = body[position] == 0x41 ? 0x42 : 0x41 }
            })
        #expect(result.status == .failure)
        #expect(
            ["'apple'", "'payload'", "'fetch'"].contains { result.remarks.contains($0) }, "\(result.remarks)")
    }

    @Test("a changed text that leaves the payload proper JSON is found by comparing with the shape")
    func changedText() async throws {
        let result = try await Self.run(
            DemoSabotage { body in
                let text = Array("REVEILLE_NOTIFICATION_BODY".utf8)
                let starts = body.indices.filter { body[$0...].starts(with: text) }
                for start in starts { body[start] = UInt8(ascii: "S") }
            })
        #expect(result.status == .failure)
        #expect(result.remarks.contains("'payload'"), "\(result.remarks)")
    }

    @Test("a text that Apple sees does not pass for a private one")
    func leak() async throws {
        let result = try await Self.run(DemoSabotage(title: "REVEILLE_NOTIFICATION_TITLE"))
        #expect(result.status == .failure)
        #expect(result.remarks.contains("'privacy'"), "\(result.remarks)")
    }
}

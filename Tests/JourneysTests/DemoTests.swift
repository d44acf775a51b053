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
        #expect(result.out.contains("none found"))
    }

    @Test("with the emulator stopped it names the step that misses Apple")
    func emulatorStopped() async throws {
        let result = try await Self.run(DemoSabotage(stopEmulatorBefore: .post))
        #expect(result.status == .failure)
        #expect(result.remarks.contains("'apple'"))
    }

    @Test("one changed byte of a payload is noticed", arguments: [7, 60, 200, 270])
    func changedByte(position: Int) async throws {
        let result = try await Self.run(
            DemoSabotage { seen in seen.body[position] = seen.body[position] == 0x41 ? 0x42 : 0x41 })
        #expect(result.status == .failure)
        #expect(result.remarks.contains("'payload'") || result.remarks.contains("'fetch'"))
    }

    @Test("a private text among Apple's bytes is noticed")
    func leak() async throws {
        let result = try await Self.run(
            DemoSabotage { seen in seen.headers.append((name: "x-note", value: "Dr. Winter wrote to you")) })
        #expect(result.status == .failure)
        #expect(result.remarks.contains("'privacy'"))
    }
}

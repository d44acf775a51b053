import Foundation
import PrivacyAudit
import ReveilleBytes
import ReveilleCommands
import ReveilleEmulator
import ReveilleNetwork
import ReveilleRuntime
import ReveilleSQLite
import ReveilleTelemetry
import ReveilleTesting

extension Road {
    /// Apple refuses in words that repeat content, and then is not there.
    func sufferApple(_ anna: Traveller) async throws {
        let carl = try await Traveller.arrive(
            self, producer: canaries.send(.producer), profile: canaries.send(.profile) + "-carl",
            label: canaries.send(.label))
        let token = Hex.encode(SystemRandom().bytes(32))
        _ = try await carl.register("reveille", token: token, number: 0)
        let echo = "\(canaries.send(.providerReason)) \(canaries.send(.title)) \(token)"
        let answers = [
            ScriptedAnswer(status: 400, reason: echo), ScriptedAnswer(status: 410, reason: echo, timestamp: .offset(0)),
            ScriptedAnswer(status: 500, body: "<html>\(echo)</html>"),
            ScriptedAnswer(status: 429, reason: echo, retryAfter: echo),
        ]
        for (number, answer) in answers.enumerated() {
            try await strike(answer, carl, number)
        }
        await emulator.goAway(GoAwayPlan(reason: echo))
        let accepted = await emulator.counters().accepted
        try await emulator.setListening(false)
        await emulator.dropConnections()
        try await anna.post(key: 30)
        _ = try await log.memory.line { $0.message.description == "waiting before the next connection" }
        try await emulator.setListening(true)
        try await emulator.wait { $0.accepted > accepted }
        // Last, since it pauses the lane.
        try await strike(ScriptedAnswer(status: 403, reason: echo), carl, answers.count)
    }

    /// Answers a wake so, on a device of its own: a refused one is left alone for a while.
    private func strike(_ answer: ScriptedAnswer, _ carl: Traveller, _ number: Int) async throws {
        let token = Hex.encode(SystemRandom().bytes(32))
        _ = try await carl.register("silo", token: token, number: number + 1)
        let fault = await emulator.addFault(AppleFault(.answer(answer), match: .init(token: token)))
        let before = await emulator.counters().struck
        try await carl.post(key: 20 + number)
        try await emulator.wait { $0.struck > before }
        if let fault { await emulator.removeFault(fault) }
    }

    /// The disk takes nothing, then is full.
    func sufferStore(_ anna: Traveller) async throws {
        faults.setReadOnly(true)
        let post = AuditRequest(
            "POST", "/api/v1/notifications", token: anna.producerToken, json: anna.notification())
        try await send(post, "store read-only")
        try await look(when: "store read-only")
        faults.setReadOnly(false)
        faults.setFull(true)
        try await send(post, "store full")
        faults.setFull(false)
        try await succeed(post, "store well again")
    }

    private func look(when: String) async throws {
        let reply = try await send(AuditRequest("GET", "/readyz"), "/readyz")
        ledger.note(.health, "/readyz \(when)", reply.octets)
    }

    /// The files of the store while it is open, and their names.
    func noteFiles() throws {
        let root = folder.file("data")
        var names: [String] = []
        for case let name as String in FileManager.default.enumerator(atPath: root) ?? .init() {
            names.append(name)
            if let octets = FileManager.default.contents(atPath: root + "/" + name) {
                ledger.note(.files, name, Array(octets))
            }
        }
        ledger.note(.fileNames, "data folder", names.joined(separator: "\n"))
    }

    /// What other users of the machine see of the process.
    func noteProcess() throws {
        let own = "/proc/self/"
        var paths = [own + "cmdline", own + "comm"]
        for task in try FileManager.default.contentsOfDirectory(atPath: own + "task") {
            paths.append(own + "task/\(task)/comm")
        }
        for path in paths {
            guard let octets = FileManager.default.contents(atPath: path) else { continue }
            ledger.note(.processNames, "process", Array(octets))
        }
    }
}

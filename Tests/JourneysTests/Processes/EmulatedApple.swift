import Glibc
import ReveilleJSON
import ReveilleNetwork
import ReveilleRuntime

/// The emulator of APNs as a process, driven through its control interface.
final class EmulatedApple: Sendable {
    /// Requests in one page of the history, so that a page stays below what the client reads.
    private static let page = 500

    let process: ProgramProcess
    /// The settings that point a server at it.
    let settings: [String: String]
    private let control: HTTPClient

    private init(process: ProgramProcess, settings: [String: String], control: HTTPClient) {
        self.process = process
        self.settings = settings
        self.control = control
    }

    /// Starts the emulator with its files in `folder`.
    static func start(in folder: String, loop: EventLoop) async throws -> EmulatedApple {
        let authority = folder + "/apple-ca.pem"
        let process = try ProgramProcess(
            [
                "emulate", "apns", "--listen", "127.0.0.1:0", "--sandbox-listen", "127.0.0.1:0", "--control",
                "127.0.0.1:0", "--ca-file", authority, "--json",
            ], variables: [:], log: folder + "/apple.log")
        let facts = try await process.announcement()
        guard let production = facts["production"]?.string, let sandbox = facts["sandbox"]?.string,
            let control = facts["control"]?.string
        else { throw ProgramProcess.Failure(description: "the emulator did not say where it listens") }
        return EmulatedApple(
            process: process,
            settings: [
                "REVEILLE_APNS_PRODUCTION_URL": production, "REVEILLE_APNS_SANDBOX_URL": sandbox,
                "REVEILLE_APNS_CA_FILE": authority,
            ], control: try .plain(control, loop: loop))
    }

    /// Ends it.
    func stop() async throws {
        await control.close()
        process.send(SIGKILL)
        _ = try await process.end()
    }

    /// Replaces all faults.
    func setFaults(_ faults: [JSONValue]) async throws {
        try await ask("DELETE", "/faults")
        if !faults.isEmpty { try await ask("POST", "/faults", ["faults": .array(faults)]) }
    }

    /// Announces another limit of streams to all connections that are and will be.
    func setStreamLimit(_ limit: Int) async throws {
        try await ask("POST", "/connections/stream-limit", ["limit": .integer(Int64(limit))])
    }

    /// Ends every connection in order, and waits until all are gone.
    func dropConnections() async throws {
        try await ask("POST", "/connections/drop", ["manner": "close"])
        guard try await wait(atMost: ["connections_open": 0], seconds: 25).met else {
            throw ProgramProcess.Failure(description: "connections did not end")
        }
    }

    /// Answers what is held, by all faults or by one.
    func releaseHeld(by fault: String? = nil) async throws {
        try await ask("POST", "/release", fault.map { ["fault": .string($0)] })
    }

    /// A counter, as it is now.
    func counter(_ name: String) async throws -> Int {
        Int(try await ask("GET", "/counters")[name]?.integer ?? 0)
    }

    /// Waits until counters are at least and at most what is given; returns whether they came to it, and the counters.
    func wait(
        atLeast: JSONObject = [:], atMost: JSONObject = [:], seconds: Int64
    ) async throws -> (met: Bool, counters: JSONValue) {
        let answer = try await ask(
            "POST", "/wait",
            ["at_least": .object(atLeast), "at_most": .object(atMost), "timeout_ms": .integer(seconds * 1_000)])
        return (answer["met"]?.boolean ?? false, answer["counters"] ?? .null)
    }

    /// Every request it saw, oldest first.
    func seen() async throws -> [JSONValue] {
        var requests: [JSONValue] = []
        var after: Int64 = 0
        while true {
            let answer = try await ask("GET", "/seen?after=\(after)&limit=\(Self.page)")
            guard answer["dropped"]?.integer == 0 else {
                throw ProgramProcess.Failure(
                    description: "the emulator's history does not hold everything, or no page of it could be read")
            }
            let page = answer["requests"]?.array ?? []
            if page.isEmpty { return requests }
            requests += page
            after = answer["next"]?.integer ?? after
        }
    }

    /// What a device shows now; nil when nothing ever came for it.
    func screen(of token: String) async throws -> [JSONValue]? {
        let answer = try await control.call("GET", "/devices/\(token)/screen")
        return answer.status == 404 ? nil : answer.json["screen"]?.array
    }

    @discardableResult
    private func ask(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
        let (status, json) = try await control.call(method, path, body: body)
        guard (200...299).contains(status) else {
            throw ProgramProcess.Failure(description: "the emulator answered \(status) to \(method) \(path)")
        }
        return json
    }
}

import ReveilleCommands
import ReveilleJSON
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTesting
import Testing

/// A running `reveille emulate apns`, called as a command inside this process.
struct EmulatorRun: Sendable {
    /// What the command said when it was ready.
    let announcement: JSONValue
    let authorityFile: String

    /// The production environment's URL.
    var url: String { announcement["production"]?.string ?? "" }

    /// Runs the emulator with further options for the time of `body`; it must end well.
    static func with<Result: Sendable>(
        _ options: [String], _ body: (EmulatorRun) async throws -> Result
    ) async throws -> Result {
        let authorityFile = try #require(TemporaryDirectory.current).file("ca.pem")
        let words =
            ["emulate", "apns", "--json", "--listen", "127.0.0.1:0", "--sandbox-listen", "127.0.0.1:0"]
            + ["--control", "127.0.0.1:0", "--ca-file", authorityFile] + options
        let out = Probe("")
        let ended = Probe<ReveilleCommands.ExitStatus?>(nil)
        let running = Task {
            let status = await Program.run(words, terminal: CommandRun.terminal(out: out, error: Probe("")))
            ended.update { $0 = status }
            // Lets a wait for the announcement of a command that failed end.
            out.update { $0 += "\n" }
        }
        let line = try await out.wait { $0.contains("\n") }
        #expect(ended.value == nil)
        let announcement = (try? JSONReader.parse(Array(line.utf8))) ?? .null
        do {
            let result = try await body(EmulatorRun(announcement: announcement, authorityFile: authorityFile))
            running.cancel()
            await running.value
            #expect(ended.value == .success)
            return result
        } catch {
            running.cancel()
            await running.value
            throw error
        }
    }

    /// Sends wakes with a throw-away key, as a load generator does.
    func bench(count: Int) async -> CommandRun {
        await CommandRun.of("bench", "apns", "--url", url, "--ca-file", authorityFile, "--count", "\(count)")
    }

    /// Asks the control interface.
    func control(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
        let origin = try #require(announcement["control"]?.string.flatMap(HTTPOrigin.init(parsing:)))
        return try await withEventLoop { loop in
            let client = HTTPClient(origin: origin, loop: loop, resolver: SystemResolver(on: loop))
            let response = try await client.send(
                ClientRequest(method: method, path: path, body: body?.encoded() ?? []))
            await client.close()
            return try JSONReader.parse(response.body)
        }
    }
}

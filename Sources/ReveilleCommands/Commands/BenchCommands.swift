internal import ReveilleAPNs
internal import ReveilleJSON
internal import ReveilleNetwork
internal import ReveilleRuntime

/// `reveille bench apns`: the shipped sender against any server that answers like APNs.
enum BenchAPNsCommand {
    static let command = Command(
        path: ["bench", "apns"],
        summary: "measure the APNs sender against a server that answers like APNs",
        discussion: "Signs with a throw-away key. Prints one JSON line: rate, p50_ms, p99_ms, ok, failed.",
        options: [
            Option("--url", "URL", help: "the server, https://HOST:PORT"),
            Option("--ca-file", "FILE", help: "the certificate of the server's authority"),
            Option("--ca", "FILE", help: "the same as --ca-file"),
            Option("--count", "N", help: "how many requests; default 100000"),
            Option("--connections", "N", help: "how many connections at most; default 1"),
        ],
        openFiles: OpenFileLimit.forServer
    ) { invocation, terminal in
        var options = BenchAPNs.Options(url: try invocation.required("--url"))
        options.authorityFile = try authorityFile(invocation)
        options.count = try invocation.integer("--count", in: 1...BenchAPNs.maximumCount, default: options.count)
        options.connections = try invocation.integer(
            "--connections", in: 1...BenchAPNs.maximumConnections, default: options.connections)
        do {
            let count = options.count
            let report = try await BenchAPNs.run(options) { terminal.progress("\($0) of \(count) requests answered") }
            terminal.endProgress()
            terminal.print(report.json)
            return report.failed == 0 ? .success : .failure
        } catch let error as BenchAPNsError {
            switch error {
            case .invalidURL: throw UsageError("--url must be https://HOST:PORT, without a path")
            case .invalidCount: throw UsageError("--count is out of range; see --help")
            case .invalidConnections: throw UsageError("--connections is out of range; see --help")
            case .unusableAuthority: throw CommandFailure("the system's certificates cannot be used")
            case .noConnection: throw try await reason(options)
            }
        }
    }

    private static func authorityFile(_ invocation: Invocation) throws(UsageError) -> String? {
        if invocation.has("--ca"), invocation.has("--ca-file") {
            throw UsageError("--ca and --ca-file mean the same; give one")
        }
        return try AuthorityFile.path(invocation, invocation.has("--ca") ? "--ca" : "--ca-file")
    }

    /// Why no connection came about: asked once more, by a client that tells.
    private static func reason(_ options: BenchAPNs.Options) async throws -> CommandFailure {
        let loop = EventLoop(name: "reason")
        loop.start()
        defer { loop.stop() }
        let caller = try APICaller(url: options.url, authorityFile: options.authorityFile, loop: loop)
        do throws(ClientError) {
            _ = try await caller.call("GET", "/")
            await caller.close()
            return CommandFailure("\(options.url) was reached and ended every connection", status: .unreachable)
        } catch {
            await caller.close()
            return APICaller.failure(error, url: options.url)
        }
    }
}

/// `reveille bench pipeline`: the shipped server from post to push.
enum BenchPipelineCommand {
    static let command = Command(
        path: ["bench", "pipeline"],
        summary: "measure the server from post to push, with the emulator as Apple",
        discussion: """
            Starts the server with its defaults and the emulator as processes of their own, on a temporary store. Counts 202s,
            rows and pushes from outside; they must agree, or the status is 1.
            """,
        options: [
            Option("--devices", "N", help: "devices, each of a profile of its own; default 1000"),
            Option("--wakes", "N", help: "wakes to post with many recipients at a time; default 200000"),
            Option("--posts", "N", help: "posts to one device each; default 40000"),
            Option("--connections", "N", help: "connections of those posts; default 64"), .json,
        ],
        openFiles: OpenFileLimit.forServer
    ) { invocation, terminal in
        var options = BenchPipeline.Options()
        options.devices = try invocation.integer("--devices", in: 1...10_000_000, default: options.devices)
        options.wakes = try invocation.integer("--wakes", in: 1...100_000_000, default: options.wakes)
        options.posts = try invocation.integer("--posts", in: 1...100_000_000, default: options.posts)
        options.connections = try invocation.integer("--connections", in: 1...1_000, default: options.connections)
        let report = try await BenchPipeline(options: options, terminal: terminal).run()
        if invocation.has("--json") {
            terminal.print(json: report.json)
        } else {
            for (name, value) in report.json.object?.members ?? [] {
                terminal.print("\(name): \(String(decoding: value.encoded(), as: UTF8.self))")
            }
        }
        return report.agrees ? .success : .failure
    }
}

/// `reveille bench encrypt`: the shipped encryption of messages for push services.
enum BenchEncryptCommand {
    static let command = Command(
        path: ["bench", "encrypt"],
        summary: "measure the encryption of messages for push services",
        discussion: "One thread, each message as a wake's: keys of its own, 512 octets of text and padding (RFC 8291).",
        options: [Option("--count", "N", help: "how many messages; default 50000"), .json]
    ) { invocation, terminal in
        let count = try invocation.integer("--count", in: 1...BenchEncrypt.maximumCount, default: 50_000)
        let report = try BenchEncrypt.run(count: count)
        if invocation.has("--json") {
            terminal.print(json: report.json)
        } else {
            terminal.print("\(Int(report.rate)) messages a second, \(Int(report.perCore)) for each second of a core")
        }
        return .success
    }
}

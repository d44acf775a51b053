import PrivacyAudit
import ReveilleCore
import Testing

@Suite("The list of ways out is complete")
struct WaysOutTests {
    /// Calls that can let octets out, as `call file`, in all sources.
    private static func calls() throws -> Set<String> {
        var calls: Set<String> = []
        for path in try SourceText.paths(below: "Sources", suffixes: [".swift", ".c"]) {
            let lines = try SourceText.read("Sources/" + path).split(separator: "\n")
            for call in OutwardCall.find(in: lines, isC: path.hasSuffix(".c")) { calls.insert("\(call) \(path)") }
        }
        return calls
    }

    @Test("every socket, descriptor, file and process that the sources open belongs to a way out, or has a reason")
    func everySource() throws {
        let calls = try Self.calls()
        let known = Set(WayOut.sources.keys)
        #expect(calls.subtracting(known).sorted() == [], "add these to WayOut.sources, and their way to the audit")
        #expect(known.subtracting(calls).sorted() == [], "these are gone from the sources")
    }

    @Test(
        "a new socket or sink is noticed",
        arguments: [
            "let socket = StreamSocket.connect(to: address, tls: nil, on: loop, timeout: .zero, delegate: self)",
            "Glibc.write(STDOUT_FILENO, bytes, count)", "syslog(LOG_INFO, text)",
            "let client = HTTPClient(origin: origin)",
            "struct FileSink: LogSink {", "sendto(descriptor, bytes, count, 0, address, length)",
            "fputs(text, stderr)", "let sender = APNsSender(configuration: configuration)", "mkdir(folder, 0o700)",
            "let listener = try Listener(address: address, loops: loops)", "posix_spawn(&id, path, nil, nil, nil, nil)",
        ])
    func newSource(line: String) {
        #expect(OutwardCall.find(in: ["import Glibc", Substring(line)], isC: false).count == 1)
        #expect(OutwardCall.find(in: ["import Glibc", Substring("// " + line)], isC: false).isEmpty)
    }

    @Test("a crash says nothing of what the program was doing: what ends it is written in the source")
    func crashes() throws {
        for path in try SourceText.paths(below: "Sources", suffixes: [".swift"]) {
            for line in try SourceText.read("Sources/" + path).split(separator: "\n") {
                let ends = ["preconditionFailure(", "precondition(", "fatalError(", "assert(", "assertionFailure("]
                guard ends.contains(where: line.contains) else { continue }
                // The one interpolation names an operation of a library, from a closed list in the source.
                let isKnown = path.hasSuffix("OpenSSLErrors.swift")
                #expect(isKnown || !line.contains("\\("), "\(path): \(line)")
            }
        }
    }

    @Test("every provider that is sent to has its ways, and no two share one", arguments: ProviderKind.allCases)
    func providers(provider: ProviderKind) {
        #expect(WayOut.ways(of: provider).isEmpty == (provider != .apns))
        for other in ProviderKind.allCases where other != provider {
            #expect(Set(WayOut.ways(of: other)).isDisjoint(with: WayOut.ways(of: provider)))
        }
    }

    @Test(
        "every way out opens somewhere in the sources, or is what the system shows of any process",
        arguments: WayOut.allCases)
    func everyWayHasASource(way: WayOut) {
        switch way {
        case .apnsRequests, .apnsOctets, .problems, .foreignAnswers, .log, .terminal, .files, .fileNames, .processNames:
            #expect(WayOut.sources.values.contains { $0.way == way })
        case .health, .metrics:
            // Answers of the API, kept apart because everybody may ask.
            #expect(WayOut.sources.values.contains { $0.way == .foreignAnswers })
        case .crashReports:
            #expect(way.isObservedOutside)
        }
    }
}

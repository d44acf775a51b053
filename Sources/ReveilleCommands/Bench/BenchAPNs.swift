internal import ReveilleAPNs
internal import ReveilleCrypto
internal import ReveilleNetwork
internal import ReveilleRuntime
internal import ReveilleSending
internal import ReveilleTLS
internal import ReveilleTelemetry

/// Measures the shipped APNs sender against any server that answers like APNs.
///
/// It signs with a throw-away key of its own and repeats nothing: each try is one request.
package enum BenchAPNs {
    /// What to measure.
    package struct Options: Sendable {
        /// The server, as `https://HOST:PORT`.
        package var url: String
        /// A file with the certificate of the server's authority, beside the system's.
        package var authorityFile: String?
        /// How many requests to send.
        package var count: Int
        /// How many connections to use at most.
        package var connections: Int

        /// The usual measurement of a server.
        package init(url: String, authorityFile: String? = nil, count: Int = 100_000, connections: Int = 1) {
            self.url = url
            self.authorityFile = authorityFile
            self.count = count
            self.connections = connections
        }
    }

    /// The most requests of one measurement: each takes four octets for its time.
    package static let maximumCount = 100_000_000
    /// The most connections of one measurement.
    package static let maximumConnections = 64
    /// Attempts to connect that fail one after the other before the measurement is given up.
    static let connectAttempts = 3

    /// Sends and counts.
    ///
    /// - Parameter progress: called every second with the number of requests that have their answer.
    /// - Throws: ``BenchAPNsError`` when the options are wrong or no connection can be made.
    package static func run(
        _ options: Options, progress: @escaping @Sendable (_ done: Int) -> Void = { _ in }
    ) async throws -> BenchAPNsReport {
        guard (1...maximumCount).contains(options.count) else { throw BenchAPNsError.invalidCount }
        guard (1...maximumConnections).contains(options.connections) else { throw BenchAPNsError.invalidConnections }
        guard let origin = BenchOrigin(options.url) else { throw BenchAPNsError.invalidURL }
        let tls: TLSContext
        do throws(TLSError) {
            tls = try TLSContext(
                client: TLSClientConfiguration(
                    alpn: [HTTP2ClientConnection.protocolName], extraAuthorityFile: options.authorityFile))
        } catch {
            throw BenchAPNsError.unusableAuthority
        }
        var configuration = SendingConfiguration(host: origin.host, port: origin.port, tls: tls)
        configuration.connections = options.connections
        // What is slow is measured, not counted as failed: a busy machine is no fault of the sender.
        configuration.limits.requestDeadline = .seconds(60)
        let credential = try APNsCredential(teamID: "TEAMID6789", keyID: "KEYID12345", key: .generate())
        let loop = EventLoop(name: "bench")
        loop.start()
        defer { loop.stop() }
        return try await BenchAPNsRun(loop: loop).measure(
            configuration, credential: credential, count: options.count, progress: progress)
    }
}

/// Why nothing could be measured.
package enum BenchAPNsError: String, Error, CaseIterable, Sendable {
    case invalidURL = "bench_invalid_url"
    case invalidCount = "bench_invalid_count"
    case invalidConnections = "bench_invalid_connections"
    case unusableAuthority = "bench_unusable_authority"
    case noConnection = "bench_no_connection"
}

/// Host and port of an `https` URL without a path.
struct BenchOrigin {
    let host: String
    let port: UInt16

    init?(_ url: String) {
        let scheme = "https://"
        guard url.hasPrefix(scheme) else { return nil }
        var rest = url.dropFirst(scheme.count)
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        guard !rest.isEmpty, !rest.contains("/") else { return nil }
        if let colon = rest.lastIndex(of: ":"), !rest.hasSuffix("]") {
            guard let port = UInt16(rest[rest.index(after: colon)...]), port > 0 else { return nil }
            self.port = port
            rest = rest[..<colon]
        } else {
            port = 443
        }
        if rest.hasPrefix("["), rest.hasSuffix("]") { rest = rest.dropFirst().dropLast() }
        guard !rest.isEmpty else { return nil }
        host = String(rest)
    }
}

import Glibc
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTelemetry

/// Serves small answers until it is told to stop: the server's own cost, for a load generator to measure.
///
///     http-server-benchmark PORT [LOOPS]
///     h2load --h1 -n 300000 -c 32 -t 1 -d body.json http://127.0.0.1:PORT/api/v1/notifications
///     h2load      -n 300000 -c 8 -m 32 -t 1 -d body.json http://127.0.0.1:PORT/api/v1/notifications
@main
struct HTTPServerBenchmark {
    struct Accepting: HTTPHandler {
        let router = Router<Int>([
            ("POST", "/api/v1/notifications", 1), ("GET", "/healthz", 2),
            ("GET", "/api/v1/notifications/{delivery_id}", 3),
        ])
        let body = HTTPBody.bytes([UInt8](#"{"notification_id":"00000000-0000-0000-0000-000000000000"}"#.utf8))

        func respond(to request: HTTPRequest) async -> HTTPResponse {
            switch router.match(method: request.method, path: request.path) {
            case .found: HTTPResponse(status: 202, fields: ["content-type": "application/json"], body: body)
            case .options, .methodNotAllowed, .notFound: HTTPResponse(status: 404)
            }
        }
    }

    static func main() async throws {
        let arguments = CommandLine.arguments
        let port = arguments.count > 1 ? UInt16(arguments[1]) ?? 0 : 0
        let count = arguments.count > 2 ? Int(arguments[2]) ?? 1 : 1
        let loops = (0..<max(1, count)).map { EventLoop(name: "http-\($0)") }
        for loop in loops { loop.start() }
        let log = Log(
            level: .info, sink: StandardErrorSink(format: .logfmt), component: "benchmark")
        let server = HTTPServer(
            configuration: HTTPServerConfiguration(address: .loopback(port: port)), loops: loops,
            handler: Accepting(), errorResponse: { status, _ in HTTPResponse(status: status) },
            log: log)
        let signals = ProcessSignals.stream([SIGTERM, SIGINT])
        let address = try await server.start()
        print(address.text)
        for await _ in signals { break }
        await server.drain(within: .seconds(1))
        let counts = server.counts
        print("requests \(counts.requests), connections \(counts.acceptedConnections)")
        for loop in loops { loop.stop() }
    }
}

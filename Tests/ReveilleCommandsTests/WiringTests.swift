import Glibc
import ReveilleCommands
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTelemetry
import ReveilleTesting
import Testing

@Suite("What the settings say reaches the server", .temporaryDirectory, .timeLimit(.minutes(5)))
struct WiringTests {
    @Test("a listed web origin may call the API, another one may not")
    func allowedOrigins() async throws {
        let folder = try #require(TemporaryDirectory.current)
        let settings = try HomeSettings.read(
            SettingsSource(environment: [
                "REVEILLE_LISTEN": "127.0.0.1:0", "REVEILLE_DATA": folder.file("data"),
                "REVEILLE_MASTER_KEY_FILE": folder.file("master.key"),
                "REVEILLE_ALLOWED_ORIGINS": "https://app.example.org",
            ]))
        let server = try await HomeServer.start(settings, log: .silent)
        let port = server.address.port
        let thread = WorkerThread(name: "caller")
        var answers: [String] = []
        for origin in ["https://app.example.org", "https://elsewhere.example.org"] {
            answers.append(try await thread.run { try Self.answer(to: origin, port: port) })
        }
        thread.stop()
        await server.stop()
        #expect(answers.allSatisfy { $0.hasPrefix("HTTP/1.1 200") })
        #expect(answers[0].contains("access-control-allow-origin: https://app.example.org"))
        #expect(!answers[1].contains("access-control-allow-origin"))
    }

    /// The whole answer to a script of `origin`, as text; blocks.
    private static func answer(to origin: String, port: UInt16) throws -> String {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        let request = Array(
            "GET /healthz HTTP/1.1\r\nHost: localhost\r\nOrigin: \(origin)\r\nConnection: close\r\n\r\n".utf8)
        guard connected == 0, write(descriptor, request, request.count) == request.count else { throw NoAnswer() }
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return String(decoding: answer, as: UTF8.self) }
            answer += buffer[..<count]
        }
    }

    private struct NoAnswer: Error {}
}

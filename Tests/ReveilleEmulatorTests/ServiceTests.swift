import Glibc
import ReveilleBytes
import ReveilleEmulator
import ReveilleJSON
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTLS
import ReveilleTelemetry
import ReveilleTesting
import Testing

@Suite("The emulator as a service", .timeLimit(.minutes(5)))
struct ServiceTests {
    /// One request over plain HTTP/1.1, read to the end of the connection.
    private func exchange(_ address: SocketAddress, _ request: String) async throws -> String {
        try await withEventLoop(name: "curl") { loop in
            let end = OneShot<[UInt8]>()
            try await loop.call { PlainExchange.begin(address, request, on: loop, end) }
            return String(decoding: try await end.wait(), as: UTF8.self)
        }
    }

    private func call(
        _ address: SocketAddress, _ method: String, _ target: String, _ body: String = ""
    ) async throws -> (status: Int, body: String) {
        let text = try await exchange(
            address,
            "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        let status = try #require(text.split(separator: " ").dropFirst().first.flatMap { Int($0) })
        let parts = text.split(separator: "\r\n\r\n", maxSplits: 1)
        return (status, parts.count > 1 ? String(parts[1]) : "")
    }

    @Test("it writes the certificate, obeys its script and the control interface, and ends when cancelled")
    func wholeLife() async throws {
        let folder = try TemporaryDirectory.make()
        defer { folder.remove() }
        let script = folder.file("faults.json")
        let authority = folder.file("ca.pem")
        try write(#"{"faults":[{"id":"s","action":{"kind":"answer","reason":"Shutdown"}}]}"#, to: script)
        let key = TestKey()
        let settings = APNsEmulatorSettings(
            emulator: APNsEmulatorConfiguration(providerTokens: .signedBy([key.registered()])),
            control: .loopback(port: 0), authorityFile: authority, scriptFile: script)
        let ready = OneShot<APNsEmulatorAddresses>()
        let service = APNsEmulatorService(settings, log: .silent) { _, addresses in ready.fulfil(addresses) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            let addresses = try await ready.wait()
            let control = try #require(addresses.control)
            let apple = try #require(addresses.environments[.production])
            let pem = try read(authority)
            #expect(try await call(control, "GET", "/ca").body == pem)
            try await withEventLoop { loop in
                let client = try await PushClient(to: apple, trusting: pem, on: loop)
                let now: WallInstant = SystemWallClock().now()
                let push = TestPush(key.bearer(issuedAt: now.seconds))
                #expect(try await client.send(push).status == 503)
                #expect(try await call(control, "DELETE", "/faults/s").status == 200)
                #expect(try await client.send(push).status == 200)
                await client.close()
            }
            let counters = try await call(control, "GET", "/counters")
            #expect(try JSONReader.parse(text: counters.body)["accepted"] == 1)
            #expect(try await call(control, "GET", "/seen?after=1&limit=5").body.contains(#""number":2"#))
            #expect(try await call(control, "GET", "/nowhere").status == 404)
            #expect(try await call(control, "POST", "/faults", "{").status == 400)
            #expect(try await call(control, "POST", "/listening", #"{"listening":false}"#).status == 200)
            #expect(try await call(control, "POST", "/listening", #"{"listening":1}"#).status == 400)
            #expect(try await call(control, "POST", "/listening", "{").status == 400)
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    static let scripts: [(String, EmulatorError)] = [
        ("{", EmulatorError(.scriptInvalid, "no JSON from byte 1 on")),
        ("{}", EmulatorError(.scriptInvalid, "faults is required")),
        (
            #"{"faults":[{"action":{"kind":"x"}}]}"#,
            EmulatorError(
                .scriptInvalid,
                "faults[0].action.kind must be `answer`, `delay`, `hold`, `hold_answer`, `stall`, `reset`, "
                    + "`drop_connection`, `half_close`, `silence`, `goaway`, `stream_limit`, `refuse_connection`, "
                    + "`refuse_tls` or `stall_tls`")
        ),
    ]

    @Test("a script with a mistake ends it before it starts", arguments: scripts)
    func badScript(_ text: String, _ error: EmulatorError) async throws {
        let folder = try TemporaryDirectory.make()
        defer { folder.remove() }
        let script = folder.file("faults.json")
        try write(text, to: script)
        let service = APNsEmulatorService(APNsEmulatorSettings(scriptFile: script), log: .silent)
        await #expect(throws: error) { try await service.run() }
    }

    @Test("files that cannot be read or written end it")
    func badFiles() async throws {
        let nowhere = "/nonexistent/file"
        let reading = APNsEmulatorService(APNsEmulatorSettings(scriptFile: nowhere), log: .silent)
        await #expect(throws: EmulatorError(.fileFailed, nowhere)) { try await reading.run() }
        let writing = APNsEmulatorService(APNsEmulatorSettings(authorityFile: nowhere), log: .silent)
        await #expect(throws: EmulatorError(.fileFailed, nowhere)) { try await writing.run() }
    }

    @Test("an address that is taken ends it, and the certificate of who has it stays", arguments: [true, false])
    func takenAddress(isControl: Bool) async throws {
        let folder = try TemporaryDirectory.make()
        defer { folder.remove() }
        let authority = folder.file("ca.pem")
        try write("the other one's", to: authority)
        try await withApple { bench in
            let taken = try #require(bench.apple.address(of: .production))
            var settings = APNsEmulatorSettings(authorityFile: authority)
            if isControl { settings.control = taken } else { settings.emulator.addresses[.sandbox] = taken }
            let service = APNsEmulatorService(settings, log: .silent)
            await #expect(throws: EmulatorError(.listenFailed, taken.text)) { try await service.run() }
        }
        #expect(try read(authority) == "the other one's")
    }

    private func write(_ text: String, to path: String) throws {
        let file = try #require(fopen(path, "w"))
        fputs(text, file)
        fclose(file)
    }

    private func read(_ path: String) throws -> String {
        let file = try #require(fopen(path, "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}

/// Sends bytes over TCP, with or without TLS, and collects what comes until the end.
final class PlainExchange: StreamSocketDelegate {
    private let request: String
    private let end: OneShot<[UInt8]>
    private var received: [UInt8] = []

    private init(_ request: String, _ end: OneShot<[UInt8]>) {
        self.request = request
        self.end = end
    }

    static func begin(
        _ address: SocketAddress, _ request: String, tls: TLSContext? = nil, on loop: EventLoop,
        _ end: OneShot<[UInt8]>
    ) {
        _ = StreamSocket.connect(
            to: address, tls: tls.map { ($0, "localhost") }, on: loop, timeout: .seconds(20),
            delegate: PlainExchange(request, end))
    }

    func socketDidOpen(_ socket: StreamSocket) { socket.output.append(utf8: request) }

    func socket(_ socket: StreamSocket, didReceive bytes: UnsafeRawBufferPointer) {
        received.append(contentsOf: bytes)
    }

    func socketDidDrainInput(_ socket: StreamSocket) {}
    func socketDidDrainOutput(_ socket: StreamSocket) {}
    func socketDidReachEnd(_ socket: StreamSocket) { socket.close() }
    func socket(_ socket: StreamSocket, didClose reason: SocketCloseReason) { end.fulfil(received) }
}

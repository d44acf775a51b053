import ReveilleBytes
import ReveilleTLS
import Testing

@Suite("Plaintext over TLS")
struct TransferTests {
    private func openPair(step: Int = .max) throws -> TLSPair {
        let fixture = try TLSFixture()
        let pair = try TLSPair(client: try fixture.client(), server: try fixture.server())
        pair.handshake(step: step)
        try #require(pair.clientResult == .complete && pair.serverResult == .complete)
        return pair
    }

    private func pattern(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    }

    @Test(
        "every size arrives whole, however the ciphertext is cut", arguments: [1, 100, 16_383, 16_384, 16_385, 70_000],
        [7, 1000, Int.max])
    func sizes(count: Int, step: Int) throws {
        let pair = try openPair()
        let bytes = pattern(count)
        let up = TLSPair.read(pair.server, from: try TLSPair.write(bytes, to: pair.client), step: step)
        #expect(up.bytes == bytes && up.stop == .wantsInput)
        let down = TLSPair.read(pair.client, from: try TLSPair.write(bytes, to: pair.server), step: step)
        #expect(down.bytes == bytes && down.stop == .wantsInput)
    }

    @Test("a handshake that arrives byte by byte completes")
    func byteByByte() throws {
        let pair = try openPair(step: 1)
        let read = TLSPair.read(pair.server, from: try TLSPair.write([1, 2, 3], to: pair.client), step: 1)
        #expect(read.bytes == [1, 2, 3])
    }

    @Test("a large text goes out in full records")
    func fullRecords() throws {
        let pair = try openPair()
        let ciphertext = try TLSPair.write(pattern(65_536), to: pair.client)
        var lengths: [Int] = []
        var rest = ciphertext[...]
        while rest.count >= 5 {
            let start = rest.startIndex
            let length = Int(rest[start + 3]) << 8 | Int(rest[start + 4])
            lengths.append(length)
            rest = rest.dropFirst(5 + length)
        }
        // Content type and tag are 17 bytes.
        #expect(lengths == [16_401, 16_401, 16_401, 16_401])
    }

    @Test("what was lent and not read is read the next time, before what comes later")
    func leftOver() throws {
        let pair = try openPair()
        let first = try TLSPair.write(pattern(50_000), to: pair.client)
        let second = try TLSPair.write([9, 9, 9], to: pair.client)
        var buffer = [UInt8](repeating: 0, count: 10_000)
        var plaintext: [UInt8] = []
        for (index, part) in [first, second, [], [], [], [], [], []].enumerated() {
            part.withUnsafeBytes { part in
                pair.server.lend(part) {
                    let result = buffer.withUnsafeMutableBytes { pair.server.read(into: $0) }
                    plaintext += buffer[..<result.count]
                    #expect(index > 4 || result.stop == .bufferIsFull)
                }
            }
        }
        #expect(plaintext == pattern(50_000) + [9, 9, 9])
        #expect(pair.server.unreadCiphertextBytes == 0)
    }

    @Test("a close-notify is a clean end, and the other direction goes on")
    func cleanEnd() throws {
        let pair = try openPair()
        let last = try TLSPair.write([1, 2], to: pair.client)
        pair.client.endOutput()
        let read = TLSPair.read(pair.server, from: last + TLSPair.take(pair.client))
        #expect(read.bytes == [1, 2] && read.stop == .ended)
        pair.server.endInput()
        #expect(TLSPair.read(pair.server, from: [0]).stop == .ended)
        let answer = TLSPair.read(pair.client, from: try TLSPair.write([3], to: pair.server))
        #expect(answer.bytes == [3])
    }

    @Test("an end without close-notify is told apart, at a record's border and within one")
    func truncation() throws {
        for cut in [0, 1, 3, 10] {
            let pair = try openPair()
            let first = try TLSPair.write([1, 2, 3], to: pair.client)
            let second = try TLSPair.write([4, 5, 6], to: pair.client)
            let before = TLSPair.read(pair.server, from: first)
            #expect(before.bytes == [1, 2, 3])
            if cut > 0 {
                #expect(TLSPair.read(pair.server, from: Array(second.prefix(cut))).bytes.isEmpty)
            }
            pair.server.endInput()
            var buffer = [UInt8](repeating: 0, count: 10)
            let result = buffer.withUnsafeMutableBytes { pair.server.read(into: $0) }
            guard case .failed(let error) = result.stop else {
                Issue.record("cut at \(cut): \(result.stop)")
                continue
            }
            #expect(error.code == .truncated)
        }
    }

    @Test("an end during the handshake is a failure on either side")
    func truncatedHandshake() throws {
        let fixture = try TLSFixture()
        let pair = try TLSPair(client: try fixture.client(), server: try fixture.server())
        #expect(pair.client.handshake() == .wantsInput)
        pair.client.endInput()
        #expect(pair.client.handshake().error?.code == .truncated)
        pair.server.endInput()
        #expect(pair.server.handshake().error?.code == .truncated)
    }

    @Test("a changed byte of a record breaks the connection, and it stays broken", arguments: [0, 5, 6, 20])
    func tampering(index: Int) throws {
        let pair = try openPair()
        var ciphertext = try TLSPair.write([UInt8](repeating: 7, count: 50), to: pair.client)
        ciphertext[index] ^= 1
        let result = TLSPair.read(pair.server, from: ciphertext)
        #expect(result.bytes.isEmpty)
        guard case .failed(let error) = result.stop else {
            Issue.record("read \(result.stop)")
            return
        }
        #expect(error.code == .protocolViolation)
        let good = try TLSPair.write([1], to: pair.client)
        #expect(TLSPair.read(pair.server, from: good).stop == .failed(error))
        #expect(throws: error) { try TLSPair.write([1], to: pair.server) }
    }

    @Test(
        "what is no TLS is refused, whichever side gets it",
        arguments: [
            Array("GET / HTTP/1.1\r\n\r\n".utf8), Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8),
            [UInt8](repeating: 0, count: 100),
            Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8),
        ])
    func garbage(bytes: [UInt8]) throws {
        let fixture = try TLSFixture()
        let pair = try TLSPair(client: try fixture.client(), server: try fixture.server())
        _ = pair.client.handshake()
        var results: [TLSSession.HandshakeResult] = []
        for session in [pair.client, pair.server] {
            TLSPair.deliver(bytes, to: session) { results.append(session.handshake()) }
        }
        #expect(results.compactMap(\.error?.code) == [.protocolViolation, .protocolViolation])
    }

    @Test("both sides agree on the highest version that both have", arguments: TLSVersion.allCases)
    func versions(version: TLSVersion) throws {
        let fixture = try TLSFixture()
        let pair = try TLSPair(
            client: try fixture.client(), server: try fixture.server(versions: TLSVersion.tls12...version))
        pair.handshake()
        #expect(pair.client.protocolVersion == (version == .tls12 ? "TLSv1.2" : "TLSv1.3"))
        let read = TLSPair.read(pair.server, from: try TLSPair.write([1, 2], to: pair.client))
        #expect(read.bytes == [1, 2])
        pair.client.endOutput()
        #expect(TLSPair.read(pair.server, from: TLSPair.take(pair.client)).stop == .ended)
    }

    @Test("without a version in common both sides fail")
    func noCommonVersion() throws {
        let fixture = try TLSFixture()
        let pair = try TLSPair(
            client: try fixture.client(versions: TLSVersion.tls12 ... .tls12),
            server: try fixture.server(versions: TLSVersion.tls13 ... .tls13))
        pair.handshake()
        #expect(pair.clientResult.error?.code == .noCommonVersion)
        #expect(pair.serverResult.error?.code == .noCommonVersion)
    }

    @Test("a client of TLS 1.1 is refused")
    func oldVersion() throws {
        // A ClientHello of TLS 1.1 without extensions: one cipher suite, no compression.
        var body: [UInt8] = [0x03, 0x02] + [UInt8](repeating: 0x11, count: 32)
        body += [0x00, 0x00, 0x02, 0xC0, 0x13, 0x01, 0x00]
        let hello: [UInt8] = [0x01, 0x00, 0x00, UInt8(body.count)] + body
        let record: [UInt8] = [0x16, 0x03, 0x01, 0x00, UInt8(hello.count)] + hello
        let server = try TLSFixture().server().makeSession()
        var result = TLSSession.HandshakeResult.wantsInput
        TLSPair.deliver(record, to: server) { result = server.handshake() }
        #expect(result.error?.code == .noCommonVersion)
    }

    @Test("nothing can be written or read before the handshake")
    func beforeHandshake() throws {
        let client = try TLSFixture().client().makeSession(serverName: "localhost")
        #expect(throws: TLSError.self) { try TLSPair.write([1], to: client) }
        var buffer = [UInt8](repeating: 0, count: 10)
        let result = buffer.withUnsafeMutableBytes { client.read(into: $0) }
        #expect(result.count == 0 && result.stop == .wantsInput)
        client.endOutput()
        #expect(client.output.isEmpty)
    }
}

import Foundation
import ReveilleBytes
import ReveilleJSON
import ReveilleWebSocket
import Testing

@Suite("WebSocket frames and handshake")
struct WebSocketTests {
    private struct Vector: Sendable {
        let name: String
        let role: WebSocketRole
        let bytes: [UInt8]
        let value: JSONValue
    }

    private static let vectors: JSONValue = {
        guard let file = Bundle.module.url(forResource: "websocket", withExtension: "json", subdirectory: "Vectors"),
            let data = try? Data(contentsOf: file), let value = try? JSONReader.parse([UInt8](data))
        else { return .null }
        return value
    }()

    private static func frames(_ key: String) -> [Vector] {
        (vectors[key]?.array ?? []).compactMap { value in
            guard let name = value["name"]?.string, let bytes = value["bytes_hex"]?.string.flatMap({ Hex.decode($0) })
            else { return nil }
            let role: WebSocketRole = value["direction"] == "client-to-server" ? .server : .client
            return Vector(name: name, role: role, bytes: bytes, value: value)
        }
    }

    private func matches(_ event: WebSocketEvent, _ wanted: JSONValue) -> Bool {
        let payload = wanted["payload_hex"]?.string.flatMap { Hex.decode($0) }
        switch event {
        case .text(let text): return wanted["type"] == "text" && wanted["text"]?.string == text
        case .binary(let bytes): return wanted["type"] == "binary" && wanted["length"]?.integer == Int64(bytes.count)
        case .ping(let bytes): return wanted["type"] == "ping" && payload == bytes
        case .pong(let bytes): return wanted["type"] == "pong" && payload == bytes
        case .close(let code, let reason):
            return wanted["type"] == "close" && wanted["code"]?.integer == Int64(code)
                && wanted["reason"]?.string == reason
        }
    }

    @Test("every right vector is read, whole and octet by octet")
    func reads() throws {
        let vectors = Self.frames("frames")
        #expect(vectors.count == 16)
        for vector in vectors {
            let wanted = (vector.value["result"]?.array ?? []).filter { $0["type"] != "incomplete" }
            let limits = WebSocketLimits(maximumMessageBytes: 1 << 20)
            var whole = WebSocketReader(role: vector.role, limits: limits)
            let events = try whole.receive(vector.bytes)
            var single = WebSocketReader(role: vector.role, limits: limits)
            var pieces: [WebSocketEvent] = []
            for octet in vector.bytes { pieces += try single.receive([octet]) }
            #expect(events == pieces, "\(vector.name)")
            #expect(events.count == wanted.count, "\(vector.name)")
            for (event, wanted) in zip(events, wanted) { #expect(matches(event, wanted), "\(vector.name)") }
        }
    }

    @Test("every wrong vector fails with its code")
    func refuses() {
        let vectors = Self.frames("must_fail")
        #expect(vectors.count == 30)
        for vector in vectors {
            var reader = WebSocketReader(role: vector.role)
            let failure = #expect(throws: WebSocketFailure.self, "\(vector.name)") { try reader.receive(vector.bytes) }
            #expect(failure.map { Int64($0.closeCode) } == vector.value["close_code"]?.integer, "\(vector.name)")
        }
    }

    @Test("what is too large fails by its header alone")
    func limits() throws {
        let failure = WebSocketFailure.tooLarge
        var reader = WebSocketReader(
            role: .client, limits: WebSocketLimits(maximumMessageBytes: 10, maximumFragments: 2))
        #expect(throws: failure) { try reader.receive([0x82, 11]) }
        var sum = WebSocketReader(role: .client, limits: WebSocketLimits(maximumMessageBytes: 10))
        #expect(try sum.receive([0x02, 6] + [UInt8](repeating: 1, count: 6)).isEmpty)
        #expect(throws: failure) { try sum.receive([0x80, 5]) }
        var many = WebSocketReader(role: .client, limits: WebSocketLimits(maximumFragments: 2))
        #expect(try many.receive([0x02, 0, 0x00, 0]).isEmpty)
        #expect(throws: failure) { try many.receive([0x80, 0]) }
    }

    @Test("nothing is read after a close")
    func afterClose() throws {
        var reader = WebSocketReader(role: .client)
        #expect(try reader.receive([0x88, 0, 0x81, 1, 0x61]) == [.close(code: 1005, reason: "")])
        #expect(try reader.receive([0x81, 1, 0x61]).isEmpty)
    }

    @Test("what is written is read again", arguments: [0, 125, 126, 65_535, 65_536])
    func writes(count: Int) throws {
        let events: [WebSocketEvent] = [
            .text(String(repeating: "a", count: count)), .binary([UInt8](repeating: 7, count: count)), .ping([1, 2]),
            .pong([]), .close(code: 4000, reason: "bye"),
        ]
        for mask in [nil, [1, 2, 3, 4] as [UInt8]] {
            var reader = WebSocketReader(
                role: mask == nil ? .client : .server, limits: WebSocketLimits(maximumMessageBytes: 1 << 20))
            let bytes = events.flatMap { WebSocketWriter.frame($0, mask: mask) }
            #expect(try reader.receive(bytes) == events)
        }
    }

    @Test("codes that never stand on the wire are left out, and reasons are cut between characters")
    func closes() {
        #expect(WebSocketWriter.frame(.close(code: 1005, reason: "x")) == [0x88, 0])
        let frame = WebSocketWriter.frame(.close(code: 1000, reason: String(repeating: "é", count: 100)))
        #expect(frame.count == 2 + 2 + 122)
    }

    @Test("handshake keys")
    func handshake() throws {
        let good = try #require(Self.vectors["handshake"]?.array)
        #expect(good.count == 3)
        for vector in good {
            let key = try #require(vector["key"]?.string)
            #expect(WebSocketHandshake.isKey(key))
            #expect(WebSocketHandshake.accept(key) == vector["accept"]?.string)
        }
        let bad = try #require(Self.vectors["handshake_must_fail"]?.array)
        #expect(bad.count == 4)
        for vector in bad { #expect(!WebSocketHandshake.isKey(vector["key"]?.string ?? "")) }
        #expect(WebSocketHandshake.isKey("AQIDBAUGBwgJCgsMDQ4PEC=="))
    }
}

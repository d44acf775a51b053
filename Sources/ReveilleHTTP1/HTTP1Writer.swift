package import ReveilleBytes

/// Writes messages whose framing it decides itself: one Content-Length, no chunks.
///
/// Fields that would contradict it (Content-Length, Transfer-Encoding, Connection and what belongs to them) are left
/// out when a caller gives them.
package enum HTTP1Writer {
    /// What a response says about its connection.
    package enum Persistence: Sendable, Equatable {
        /// HTTP/1.1's default: nothing to say.
        case persistent
        /// To an HTTP/1.0 client that asked for it: `Connection: keep-alive`.
        case persistentHTTP10
        /// `Connection: close`.
        case closes
    }

    /// Appends a response.
    ///
    /// - Parameters:
    ///   - status: from 200 to 599.
    ///   - fields: fields with legal text, as `FieldList` guarantees.
    ///   - body: left out of an answer to HEAD, whose Content-Length still tells its size, and where the status forbids one.
    ///   - date: the value of Date in 29 bytes.
    package static func writeResponse(
        status: Int, fields: FieldList, body: [UInt8], isHead: Bool, persistence: Persistence,
        date: [UInt8], to queue: ByteQueue
    ) {
        let forbidsBody = HTTP1Status.forbidsBody(status)
        let bodyCount = forbidsBody || isHead ? 0 : body.count
        let room = Self.room(for: fields) + date.count + bodyCount + 160
        var cursor = ByteCursor(queue.writableRegion(minimum: room))
        cursor.write("HTTP/1.1 ")
        cursor.write(number: status)
        cursor.write(" ")
        cursor.write(HTTP1Status.reason(status))
        cursor.write("\r\nDate: ")
        date.withUnsafeBytes { cursor.write($0) }
        cursor.write("\r\n")
        switch persistence {
        case .persistent: break
        case .persistentHTTP10: cursor.write("Connection: keep-alive\r\n")
        case .closes: cursor.write("Connection: close\r\n")
        }
        write(fields, to: &cursor)
        if !forbidsBody {
            cursor.write("Content-Length: ")
            cursor.write(number: body.count)
            cursor.write("\r\n")
        }
        cursor.write("\r\n")
        if bodyCount > 0 { body.withUnsafeBytes { cursor.write($0) } }
        queue.didWrite(cursor.count)
    }

    /// Appends the answer that changes the protocol of the connection (RFC 9110 section 15.2.2).
    ///
    /// - Parameters:
    ///   - name: the protocol, a token.
    ///   - fields: further fields of the new protocol's handshake.
    ///   - date: the value of Date in 29 bytes.
    package static func writeSwitchingProtocols(
        to name: String, fields: FieldList, date: [UInt8], to queue: ByteQueue
    ) {
        var upgrade: [UInt8] = []
        FieldText.append(name, to: &upgrade)
        var cursor = ByteCursor(
            queue.writableRegion(minimum: Self.room(for: fields) + date.count + upgrade.count + 160))
        cursor.write("HTTP/1.1 101 Switching Protocols\r\nDate: ")
        date.withUnsafeBytes { cursor.write($0) }
        cursor.write("\r\nConnection: Upgrade\r\nUpgrade: ")
        upgrade.withUnsafeBytes { cursor.write($0) }
        cursor.write("\r\n")
        write(fields, to: &cursor)
        cursor.write("\r\n")
        queue.didWrite(cursor.count)
    }

    /// Appends the interim answer that lets a waiting client send its body (RFC 9110 section 10.1.1).
    package static func writeContinue(to queue: ByteQueue) {
        let line: StaticString = "HTTP/1.1 100 Continue\r\n\r\n"
        line.withUTF8Buffer { queue.append(UnsafeRawBufferPointer($0)) }
    }

    /// Appends a request in origin form.
    ///
    /// - Parameters:
    ///   - method: a token.
    ///   - target: a path with an optional query, already encoded.
    ///   - authority: the value of Host.
    ///   - body: its length is told for every method but GET, HEAD and OPTIONS, or when there is one.
    package static func writeRequest(
        method: String, target: String, authority: String, fields: FieldList, body: [UInt8],
        to queue: ByteQueue
    ) {
        var start: [UInt8] = []
        FieldText.append(method + " " + target + " HTTP/1.1", to: &start)
        var host: [UInt8] = []
        FieldText.append(authority, to: &host)
        let room = Self.room(for: fields) + start.count + host.count + body.count + 160
        var cursor = ByteCursor(queue.writableRegion(minimum: room))
        start.withUnsafeBytes { cursor.write($0) }
        cursor.write("\r\nHost: ")
        host.withUnsafeBytes { cursor.write($0) }
        cursor.write("\r\n")
        write(fields, isRequest: true, to: &cursor)
        let isBodyless = method == "GET" || method == "HEAD" || method == "OPTIONS"
        if !isBodyless || !body.isEmpty {
            cursor.write("Content-Length: ")
            cursor.write(number: body.count)
            cursor.write("\r\n")
        }
        cursor.write("\r\n")
        body.withUnsafeBytes { cursor.write($0) }
        queue.didWrite(cursor.count)
    }

    private static func room(for fields: FieldList) -> Int {
        var count = 0
        fields.forEach { name, value, _ in count += name.count + value.count + 4 }
        return count
    }

    private static func write(
        _ fields: FieldList, isRequest: Bool = false, to cursor: inout ByteCursor
    ) {
        fields.forEach { name, value, _ in
            if isOwned(name) || (isRequest && name.equalsIgnoringCase("host")) { return }
            cursor.write(name)
            cursor.write(": ")
            cursor.write(value)
            cursor.write("\r\n")
        }
    }

    /// Whether the writer alone decides about a field.
    private static func isOwned(_ name: UnsafeRawBufferPointer) -> Bool {
        switch name.count {
        case 4: name.equalsIgnoringCase("date")
        case 10: name.equalsIgnoringCase("connection") || name.equalsIgnoringCase("keep-alive")
        case 14: name.equalsIgnoringCase("content-length")
        case 17: name.equalsIgnoringCase("transfer-encoding")
        default: false
        }
    }
}

/// Writes into a region whose size was computed before; going past its end is a programmer's error and traps.
struct ByteCursor {
    private let region: UnsafeMutableRawBufferPointer
    /// How many bytes were written.
    private(set) var count = 0

    init(_ region: UnsafeMutableRawBufferPointer) { self.region = region }

    mutating func write(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
        precondition(bytes.count <= region.count - count, "the region is too small")
        region.baseAddress?.advanced(by: count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }

    mutating func write(_ text: StaticString) {
        text.withUTF8Buffer { write(UnsafeRawBufferPointer($0)) }
    }

    mutating func write(number: Int) {
        var digits = 1
        var rest = number
        while rest >= 10 {
            rest /= 10
            digits += 1
        }
        precondition(digits <= region.count - count, "the region is too small")
        rest = number
        for index in stride(from: count + digits - 1, through: count, by: -1) {
            region[index] = 0x30 + UInt8(rest % 10)
            rest /= 10
        }
        count += digits
    }
}

internal import ReveilleBytes
internal import ReveilleHTTP1
internal import ReveilleHTTP2

/// One request with its octets at fixed addresses, from the moment it waits until it is answered.
final class ClientExchange {
    /// Whether the answer has no body.
    let isHead: Bool
    private let octets: UnsafeMutableBufferPointer<UInt8>
    private let parts: [(name: Range<Int>, value: Range<Int>, compression: HTTP2FieldCompression)]
    private let body: Range<Int>
    private var completion: ((Result<ClientResponse, ClientError>) -> Void)?

    /// How many of the parts are the pseudo fields of HTTP/2: method, scheme, authority, path.
    private static let pseudoFields = 4

    /// Copies the request, which must have no ``ClientRequest/fault``.
    init(
        _ request: ClientRequest, scheme: String, authority: String,
        completion: @escaping (Result<ClientResponse, ClientError>) -> Void
    ) {
        var text: [UInt8] = []
        func place(_ piece: some Sequence<UInt8>) -> Range<Int> {
            let start = text.count
            text.append(contentsOf: piece)
            return start..<text.count
        }
        let pseudo = [
            (":method", request.method), (":scheme", scheme), (":authority", authority), (":path", request.path),
        ]
        parts =
            pseudo.map { (place($0.0.utf8), place($0.1.utf8), $0.0 == ":path" ? .neverIndexed : .indexed) }
            + request.fields.compactMap { field in
                let name = field.name.lowercased()
                guard Self.belongsToRequest(name, field.value) else { return nil }
                return (
                    place(name.utf8), place(field.value.utf8),
                    request.sensitive.contains(name) ? .neverIndexed : .indexed
                )
            }
        body = place(request.body)
        octets = .allocate(capacity: text.count)
        _ = octets.initialize(from: text)
        isHead = request.method == "HEAD"
        self.completion = completion
    }

    /// HTTP/2 knows names in lower case only, and no fields about the connection; the host is `:authority` (RFC 9113 sections
    /// 8.2 and 8.3.1).
    private static func belongsToRequest(_ name: String, _ value: String) -> Bool {
        switch name {
        case "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade", "host": false
        case "te": value == "trailers"
        default: !name.hasPrefix(":")
        }
    }

    deinit {
        octets.deallocate()
    }

    /// Writes the request into a stream's room, by reference to the octets held here.
    func fill(_ stream: HTTP2ClientStream) {
        guard let base = octets.baseAddress.map({ UnsafePointer($0) }) else { return }
        for part in parts {
            stream.add(
                name: base + part.name.lowerBound, nameCount: part.name.count, value: base + part.value.lowerBound,
                count: part.value.count, part.compression)
        }
        if !body.isEmpty {
            stream.setBody(UnsafeRawBufferPointer(start: base + body.lowerBound, count: body.count))
        }
    }

    /// Appends the request as HTTP/1.1 writes it.
    func write(to queue: ByteQueue) {
        let fields = parts[Self.pseudoFields...].reduce(into: FieldList()) { fields, part in
            fields.append(checkedName: octets(part.name), value: octets(part.value))
        }
        HTTP1Writer.writeRequest(
            method: FieldText.string(octets(parts[0].value)), target: FieldText.string(octets(parts[3].value)),
            authority: FieldText.string(octets(parts[2].value)), fields: fields, body: Array(octets(body)), to: queue)
    }

    private func octets(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(octets)[range])
    }

    /// Hands out the end, once.
    func end(_ result: Result<ClientResponse, ClientError>) {
        let completion = completion
        self.completion = nil
        completion?(result)
    }
}

internal import ReveilleHTTP2

/// A request with all that was read of it.
struct ArrivedRequest {
    let head: HTTP2RequestHead
    var body: [UInt8] = []
    /// Whether the body was longer than anything that is kept.
    var isBodyTooLong = false
}

/// The requests of a connection that are not complete.
///
/// The newest lies apart: most requests come in one piece.
struct ArrivingRequests {
    private var newestStream: Int32 = 0
    private var newest: ArrivedRequest?
    private var others: [Int32: ArrivedRequest] = [:]

    /// How many there are.
    var count: Int { others.count + (newest == nil ? 0 : 1) }

    /// Whether there are none.
    var isEmpty: Bool { newest == nil && others.isEmpty }

    /// Begins a request.
    mutating func add(_ head: HTTP2RequestHead, on stream: Int32) {
        if let newest { others[newestStream] = newest }
        newestStream = stream
        newest = ArrivedRequest(head: head)
    }

    /// Adds a piece to a body.
    mutating func append(_ bytes: UnsafeRawBufferPointer, on stream: Int32) {
        if stream == newestStream {
            newest?.body.append(contentsOf: bytes)
        } else {
            others[stream]?.body.append(contentsOf: bytes)
        }
    }

    /// Takes a request out; nil when there is none on the stream.
    mutating func take(_ stream: Int32) -> ArrivedRequest? {
        guard stream == newestStream else {
            return others.isEmpty ? nil : others.removeValue(forKey: stream)
        }
        newestStream = 0
        return newest.take()
    }

    /// Forgets all.
    mutating func removeAll() {
        newestStream = 0
        newest = nil
        others.removeAll()
    }
}

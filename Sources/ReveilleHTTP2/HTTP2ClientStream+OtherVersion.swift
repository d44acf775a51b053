internal import CNghttp2

/// A room without an engine, for a connection that turned out to speak another version of HTTP: whoever fills requests and reads
/// answers need not know which one it is.
extension HTTP2ClientStream {
    /// Makes the only room of a connection that carries one request at a time.
    package convenience init(keptBodyBytes: Int) {
        self.init(index: 0, keptBodyCapacity: keptBodyBytes)
    }

    /// Empties the room for the next request.
    package func begin() { reset() }

    /// Lends name and value of each field of the request, in order, pseudo-header fields included.
    package func forEachField(_ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void) {
        for position in 0..<state.pointee.fieldCount {
            let field = fields[position]
            body(
                UnsafeRawBufferPointer(start: field.name, count: field.namelen),
                UnsafeRawBufferPointer(start: field.value, count: field.valuelen))
        }
    }

    /// The body of the request.
    package var requestBody: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: state.pointee.bodyStart, count: state.pointee.bodyCount)
    }

    /// Notes that the request is with the socket: nobody knows how far it gets.
    package func wasHandedOut() {
        state.pointee.phase = .open
        state.pointee.progress = .completely
    }

    /// Notes the status of the response.
    package func note(status: Int) {
        state.pointee.status = status
        state.pointee.hasResponse = true
    }

    /// Notes the value of the watched field at a position; one that is too long counts as absent.
    package func note(watchedField position: Int, _ value: UnsafeRawBufferPointer) {
        guard let start = value.baseAddress else { return }
        keepWatched(position, start.assumingMemoryBound(to: UInt8.self), value.count)
    }

    /// Keeps the first octets of the response's body, and counts all of them.
    package func note(body bytes: UnsafeRawBufferPointer) {
        state.pointee.receivedBodyBytes += bytes.count
        keepBody(bytes)
    }

    /// How many octets of the response's body came: if any, its head was whole.
    package var receivedBodyBytes: Int { state.pointee.receivedBodyBytes }

    /// Notes how the exchange ended.
    package func finish(_ end: HTTP2StreamEnd) {
        state.pointee.phase = .ended
        state.pointee.end = end
    }
}

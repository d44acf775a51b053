internal import CNghttp2

/// What the callbacks found in the frames of the server.
extension HTTP2ClientEngine {
    /// The overhead that RFC 9113 section 6.5.2 counts for each field.
    private static let fieldOverheadBytes = 32

    /// Notes a response field; false when the header list grew over its limit.
    func noteField(
        _ stream: HTTP2ClientStream, _ name: UnsafePointer<UInt8>, _ nameCount: Int,
        _ value: UnsafePointer<UInt8>, _ valueCount: Int
    ) -> Bool {
        let state = stream.state
        state.pointee.headerListBytes += nameCount + valueCount + Self.fieldOverheadBytes
        guard state.pointee.headerListBytes <= limits.maximumHeaderListBytes else { return false }
        if name[0] == UInt8(ascii: ":") {
            state.pointee.status = Self.status(value, valueCount)
        } else {
            noteWatched(stream, name, nameCount, value, valueCount)
        }
        return true
    }

    private func noteWatched(
        _ stream: HTTP2ClientStream, _ name: UnsafePointer<UInt8>, _ nameCount: Int,
        _ value: UnsafePointer<UInt8>, _ valueCount: Int
    ) {
        for position in watchedNames.indices {
            let watched = watchedNames[position]
            guard watched.utf8CodeUnitCount == nameCount,
                UnsafeRawBufferPointer(start: watched.utf8Start, count: nameCount)
                    .elementsEqual(UnsafeRawBufferPointer(start: name, count: nameCount))
            else { continue }
            return stream.keepWatched(position, value, valueCount)
        }
    }

    /// The only pseudo-header field of a response is `:status`, three digits, which the library has checked.
    private static func status(_ value: UnsafePointer<UInt8>, _ count: Int) -> Int {
        guard count == 3 else { return 0 }
        return (0..<3).reduce(0) { $0 * 10 + Int(value[$1]) - 48 }
    }

    /// Notes a piece of a response's body; one that is far too long gives the stream up.
    func noteBody(_ stream: HTTP2ClientStream, _ bytes: UnsafeRawBufferPointer) {
        let before = stream.state.pointee.receivedBodyBytes
        stream.state.pointee.receivedBodyBytes = before + bytes.count
        stream.keepBody(bytes)
        if before <= limits.maximumBodyBytes, before + bytes.count > limits.maximumBodyBytes {
            noteEndless(stream)
        }
    }

    /// Notes SETTINGS, PING and GOAWAY.
    func noteControlFrame(_ frame: UnsafePointer<nghttp2_frame>) {
        switch UInt32(reveille_nghttp2_frame_type(frame)) {
        case NGHTTP2_SETTINGS.rawValue:
            if !reveille_nghttp2_frame_is_ack(frame) { noteSettings() }
        case NGHTTP2_PING.rawValue:
            guard reveille_nghttp2_frame_is_ack(frame),
                let payload = reveille_nghttp2_ping_data(frame)
            else { return }
            notePingReturned((0..<8).reduce(0) { $0 << 8 | UInt64(payload[$1]) })
        case NGHTTP2_GOAWAY.rawValue:
            noteGoAway(
                lastStream: reveille_nghttp2_goaway_last_stream(frame),
                code: reveille_nghttp2_goaway_code(frame),
                debug: UnsafeRawBufferPointer(
                    start: reveille_nghttp2_goaway_debug(frame),
                    count: reveille_nghttp2_goaway_debug_count(frame)))
        default:
            break
        }
    }
}

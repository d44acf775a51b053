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
        } else if let position = watchedFields.position(of: name, nameCount) {
            stream.keepWatched(position, value, valueCount)
        }
        return true
    }

    /// The only pseudo-header field of a response is `:status`, three digits, which the library has checked.
    private static func status(_ value: UnsafePointer<UInt8>, _ count: Int) -> Int {
        guard count == 3 else { return 0 }
        return (Int(value[0]) - 48) * 100 + (Int(value[1]) - 48) * 10 + Int(value[2]) - 48
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

    // MARK: Ends

    func noteResponseComplete(_ stream: HTTP2ClientStream) {
        stream.state.pointee.isResponseComplete = true
        // A response that is complete before its request frees the stream at once (RFC 9113 section 8.1).
        if stream.progress < .completely { streamsToReset.append(stream.id) }
    }

    private func noteEndless(_ stream: HTTP2ClientStream) {
        streamsToReset.append(stream.id)
    }

    func noteClosed(_ stream: HTTP2ClientStream, _ code: HTTP2ErrorCode) {
        let state = stream.state
        guard state.pointee.phase == .open else { return }
        if state.pointee.isResponseComplete {
            finish(stream, .answered)
        } else if code == .refusedStream && !state.pointee.hasResponse || state.pointee.progress == .nothing {
            // Who has begun an answer has processed the request, whatever it says then.
            finish(stream, .unprocessed)
        } else if state.pointee.isCancelled {
            finish(stream, .cancelled)
        } else {
            finish(stream, .reset(code))
        }
    }

    /// A request that the library took and then could not send.
    func noteNotSent(_ id: Int32) {
        rooms.forEachOpen { if $0.id == id { finish($0, .unprocessed) } }
    }

    private func noteSettings() {
        receivedSettings = true
        counts.pointee.peerStreamLimit = Int(
            nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS))
        notices.insert(.settingsChanged)
    }

    private func noteGoAway(lastStream: Int32, code: UInt32, debug: UnsafeRawBufferPointer) {
        counts.pointee.takesStreams = false
        receivedGoAway = HTTP2GoAway(
            lastStreamID: lastStream, code: HTTP2ErrorCode(rawValue: code),
            debugData: Array(debug.prefix(limits.maximumDebugBytes)))
        notices.insert(.goAwayReceived)
    }

    private func notePingReturned(_ payload: UInt64) {
        returnedPing = payload
        notices.insert(.pingReturned)
    }
}

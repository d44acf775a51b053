internal import CNghttp2
package import ReveilleBytes

/// What a server says.
extension HTTP2ServerEngine {
    /// Answers a request, complete or not.
    ///
    /// Fields that HTTP/2 forbids (RFC 9113 section 8.2.2) are left out.
    ///
    /// - Parameters:
    ///   - status: from 200 to 599.
    ///   - fields: everything the answer says; the engine adds nothing.
    ///   - body: may be empty.
    /// - Throws: `http2_stream_unknown` when the stream is over, or was answered before.
    package func respond(
        to id: Int32, status: Int, fields: FieldList, body: [UInt8]
    ) throws(HTTP2Error) {
        guard let stream = streams[id], !stream.isAnswered, (200..<600).contains(status) else {
            throw HTTP2Error(.streamUnknown)
        }
        stream.isAnswered = true
        stream.answer = body
        stream.answerOffset = 0
        let session = session
        let result = answerScratch.withFields(status: status, fields) { pairs -> Int32 in
            guard !body.isEmpty else {
                return nghttp2_submit_response(session, id, pairs.baseAddress, pairs.count, nil)
            }
            var provider = nghttp2_data_provider(
                source: nghttp2_data_source(ptr: Unmanaged.passUnretained(stream).toOpaque()),
                read_callback: HTTP2ServerCallbacks.readAnswer)
            return nghttp2_submit_response(
                session, id, pairs.baseAddress, pairs.count, &provider)
        }
        try check(result)
    }

    /// Sends `100 Continue` to a client that waits for it.
    package func sendContinue(on id: Int32) throws(HTTP2Error) {
        guard let stream = streams[id], !stream.isAnswered else {
            throw HTTP2Error(.streamUnknown)
        }
        let session = session
        let result = answerScratch.withFields(status: 100, FieldList()) { pairs in
            nghttp2_submit_headers(
                session, UInt8(NGHTTP2_FLAG_NONE.rawValue), id, nil, pairs.baseAddress,
                pairs.count, nil)
        }
        try check(min(result, 0))
    }

    /// Resets a stream, answered or not.
    package func reset(_ id: Int32, _ code: HTTP2ErrorCode) throws(HTTP2Error) {
        guard streams[id] != nil else { throw HTTP2Error(.streamUnknown) }
        policing.expectOwnReset()
        try check(
            nghttp2_submit_rst_stream(
                session, UInt8(NGHTTP2_FLAG_NONE.rawValue), id, code.rawValue))
    }

    /// The newest stream that the client opened and the session accepted; 0 when there was none.
    package var lastStream: Int32 { nghttp2_session_get_last_proc_stream_id(session) }

    /// Says GOAWAY and goes on: streams up to `lastStream` are served, newer ones are refused.
    ///
    /// - Parameter lastStream: the newest stream that will be served; by default the newest that came.
    package func goAway(
        _ code: HTTP2ErrorCode, lastStream: Int32? = nil, debugData: [UInt8] = []
    ) throws(HTTP2Error) {
        try check(
            nghttp2_submit_goaway(
                session, UInt8(NGHTTP2_FLAG_NONE.rawValue), lastStream ?? self.lastStream,
                code.rawValue, debugData, debugData.count))
    }

    /// Says that GOAWAY will come, so that requests on their way are still accepted (RFC 9113 section 6.8).
    package func announceGoAway() throws(HTTP2Error) {
        try check(nghttp2_submit_shutdown_notice(session))
    }

    /// Says GOAWAY and reads no more.
    ///
    /// Call `takeOutput`, send, and close.
    package func terminate(_ code: HTTP2ErrorCode) {
        nghttp2_session_terminate_session(session, code.rawValue)
    }

    /// Changes SETTINGS_MAX_CONCURRENT_STREAMS.
    ///
    /// Streams that are open stay open.
    package func setMaximumConcurrentStreams(_ count: Int) throws(HTTP2Error) {
        let entry = nghttp2_settings_entry(
            settings_id: Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue),
            value: UInt32(clamping: count))
        try check(
            nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), [entry], 1))
    }

    /// Sends a PING.
    package func ping() throws(HTTP2Error) {
        try check(nghttp2_submit_ping(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil))
    }
}

/// Room for the name and value pairs of one answer, used again for each.
struct HTTP2NameValueScratch {
    private var pairs: [nghttp2_nv] = []

    /// Lends the pairs of a status and its fields for the time of the call.
    ///
    /// The library copies what they point to.
    mutating func withFields<R>(
        status: Int, _ fields: FieldList, _ body: (UnsafeBufferPointer<nghttp2_nv>) -> R
    ) -> R {
        pairs.removeAll(keepingCapacity: true)
        let digits: [3 of UInt8] = [
            0x30 + UInt8(status / 100 % 10), 0x30 + UInt8(status / 10 % 10),
            0x30 + UInt8(status % 10),
        ]
        return digits.span.withUnsafeBytes { digits in
            append(StaticString(":status"), digits)
            return fields.withPairs { buffer, entries in
                for entry in entries {
                    let name = UnsafeRawBufferPointer(rebasing: buffer[entry.nameRange])
                    guard !Self.isForbidden(name) else { continue }
                    let value = UnsafeRawBufferPointer(rebasing: buffer[entry.valueRange])
                    append(name, value, isSensitive: entry.isSensitive)
                }
                return pairs.withUnsafeBufferPointer(body)
            }
        }
    }

    private mutating func append(_ name: StaticString, _ value: UnsafeRawBufferPointer) {
        name.withUTF8Buffer { append(UnsafeRawBufferPointer($0), value, isSensitive: false) }
    }

    private mutating func append(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, isSensitive: Bool
    ) {
        let flags = isSensitive ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE
        pairs.append(
            nghttp2_nv(
                name: UnsafeMutablePointer(mutating: name.bindMemory(to: UInt8.self).baseAddress),
                value: UnsafeMutablePointer(mutating: value.bindMemory(to: UInt8.self).baseAddress),
                namelen: name.count, valuelen: value.count, flags: UInt8(flags.rawValue)))
    }

    /// Fields of HTTP/1.1 connections, and any that would pass for a pseudo-header field.
    private static func isForbidden(_ name: UnsafeRawBufferPointer) -> Bool {
        switch name.count {
        case 0: true
        case 7: name.first == 0x3A || name.elementsEqual("upgrade".utf8)
        case 10:
            name.first == 0x3A || name.elementsEqual("connection".utf8)
                || name.elementsEqual("keep-alive".utf8)
        case 16: name.first == 0x3A || name.elementsEqual("proxy-connection".utf8)
        case 17: name.first == 0x3A || name.elementsEqual("transfer-encoding".utf8)
        default: name.first == 0x3A
        }
    }
}

internal import CNghttp2

/// The functions nghttp2 calls.
///
/// Each finds its engine, notes what happened, and returns; none answers, blocks, or calls the delegate. A failure
/// code ends the session, and is given only for too much work.
enum HTTP2ServerCallbacks {
    /// The library's own limits behind ours, so that it never acts first.
    private static let libraryResetBurst: UInt64 = 100_000
    private static let libraryResetsPerSecond: UInt64 = 10_000

    static func makeSession(_ limits: HTTP2ServerLimits) throws(HTTP2Error) -> OpaquePointer {
        let setup = try HTTP2SessionSetup(maximumContinuations: limits.maximumContinuations + 1)
        setup.setResetRate(burst: libraryResetBurst, perSecond: libraryResetsPerSecond)
        nghttp2_session_callbacks_set_on_begin_frame_callback(setup.callbacks, onBeginFrame)
        nghttp2_session_callbacks_set_on_begin_headers_callback(setup.callbacks, onBeginHeaders)
        nghttp2_session_callbacks_set_on_header_callback(setup.callbacks, onHeader)
        nghttp2_session_callbacks_set_on_invalid_header_callback(setup.callbacks, onInvalidHeader)
        nghttp2_session_callbacks_set_on_frame_recv_callback(setup.callbacks, onFrameReceived)
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(setup.callbacks, onDataChunk)
        nghttp2_session_callbacks_set_on_frame_send_callback(setup.callbacks, onFrameSent)
        nghttp2_session_callbacks_set_on_stream_close_callback(setup.callbacks, onStreamClose)
        return try setup.session { nghttp2_session_server_new2($0, $1, nil, $2) }
    }

    /// Reads an answer's body; see `HTTP2ServerEngine.respond`.
    static let readAnswer: nghttp2_data_source_read_callback = {
        _, _, buffer, length, flags, source, _ in
        guard let source, let buffer, let flags else {
            return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
        }
        let stream = Unmanaged<HTTP2ServerStream>.fromOpaque(source.pointee.ptr)
            .takeUnretainedValue()
        let count = min(length, stream.answer.count - stream.answerOffset)
        stream.answer.withUnsafeBytes { bytes in
            let piece = UnsafeRawBufferPointer(rebasing: bytes[stream.answerOffset...].prefix(count))
            UnsafeMutableRawBufferPointer(start: buffer, count: count).copyMemory(from: piece)
        }
        stream.answerOffset += count
        if stream.answerOffset == stream.answer.count {
            flags.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue)
        }
        return count
    }
}

private let failure = Int32(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)

private func engine(_ userData: UnsafeMutableRawPointer?) -> HTTP2ServerEngine? {
    userData.map { Unmanaged<HTTP2ServerEngine>.fromOpaque($0).takeUnretainedValue() }
}

private func onBeginFrame(
    _: OpaquePointer?, header: UnsafePointer<nghttp2_frame_hd>?, userData: UnsafeMutableRawPointer?
) -> Int32 {
    guard let engine = engine(userData), let header else { return failure }
    return engine.noteFrameBegins(type: header.pointee.type) ? 0 : failure
}

private func onBeginHeaders(
    _: OpaquePointer?, frame: UnsafePointer<nghttp2_frame>?, userData: UnsafeMutableRawPointer?
) -> Int32 {
    guard let engine = engine(userData), let frame else { return failure }
    if frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST {
        engine.noteRequestBegins(frame.pointee.hd.stream_id)
    }
    return 0
}

private func onHeader(
    _: OpaquePointer?, frame: UnsafePointer<nghttp2_frame>?, name: UnsafePointer<UInt8>?,
    nameCount: Int, value: UnsafePointer<UInt8>?, valueCount: Int, _: UInt8,
    userData: UnsafeMutableRawPointer?
) -> Int32 {
    guard let engine = engine(userData), let frame else { return failure }
    engine.noteField(
        stream: frame.pointee.hd.stream_id,
        isTrailer: frame.pointee.headers.cat != NGHTTP2_HCAT_REQUEST,
        name: UnsafeRawBufferPointer(start: name, count: nameCount),
        value: UnsafeRawBufferPointer(start: value, count: valueCount))
    return 0
}

/// A field the library would only leave out: a name or value with characters that no field has.
///
/// Such a request is malformed (RFC 9113 section 8.2.1) and is reset.
private func onInvalidHeader(
    session: OpaquePointer?, frame: UnsafePointer<nghttp2_frame>?, _: UnsafePointer<UInt8>?, _: Int,
    _: UnsafePointer<UInt8>?, _: Int, _: UInt8, _: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame else { return failure }
    nghttp2_submit_rst_stream(
        session, UInt8(NGHTTP2_FLAG_NONE.rawValue), frame.pointee.hd.stream_id,
        HTTP2ErrorCode.protocolError.rawValue)
    return Int32(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
}

private func onFrameReceived(
    _: OpaquePointer?, frame: UnsafePointer<nghttp2_frame>?, userData: UnsafeMutableRawPointer?
) -> Int32 {
    guard let engine = engine(userData), let frame else { return failure }
    let header = frame.pointee.hd
    let endsStream = UInt32(header.flags) & NGHTTP2_FLAG_END_STREAM.rawValue != 0
    switch UInt32(header.type) {
    case NGHTTP2_HEADERS.rawValue:
        engine.noteHeaders(header.stream_id, endsStream: endsStream)
    case NGHTTP2_DATA.rawValue:
        let isEmpty = header.length <= frame.pointee.data.padlen
        return engine.noteData(header.stream_id, isEmpty: isEmpty, endsStream: endsStream)
            ? 0 : failure
    case NGHTTP2_GOAWAY.rawValue:
        engine.goAwayReceived = HTTP2ErrorCode(rawValue: frame.pointee.goaway.error_code)
    default:
        break
    }
    return 0
}

private func onDataChunk(
    _: OpaquePointer?, _: UInt8, stream: Int32, data: UnsafePointer<UInt8>?, count: Int,
    userData: UnsafeMutableRawPointer?
) -> Int32 {
    guard let engine = engine(userData) else { return failure }
    engine.noteBody(stream, UnsafeRawBufferPointer(start: data, count: count))
    return 0
}

private func onFrameSent(
    _: OpaquePointer?, frame: UnsafePointer<nghttp2_frame>?, userData: UnsafeMutableRawPointer?
) -> Int32 {
    guard let engine = engine(userData), let frame else { return failure }
    let header = frame.pointee.hd
    let endsStream = UInt32(header.flags) & NGHTTP2_FLAG_END_STREAM.rawValue != 0
    switch UInt32(header.type) {
    case NGHTTP2_DATA.rawValue:
        engine.policing.noteDataSent()
        if endsStream { engine.noteAnswerSent(header.stream_id) }
    case NGHTTP2_HEADERS.rawValue:
        if endsStream { engine.noteAnswerSent(header.stream_id) }
    case NGHTTP2_RST_STREAM.rawValue:
        engine.noteResetSent()
    case NGHTTP2_GOAWAY.rawValue:
        engine.goAwaySent = HTTP2ErrorCode(rawValue: frame.pointee.goaway.error_code)
    default:
        break
    }
    return 0
}

private func onStreamClose(
    _: OpaquePointer?, stream: Int32, code: UInt32, userData: UnsafeMutableRawPointer?
) -> Int32 {
    guard let engine = engine(userData) else { return failure }
    engine.noteClose(stream, HTTP2ErrorCode(rawValue: code))
    return 0
}

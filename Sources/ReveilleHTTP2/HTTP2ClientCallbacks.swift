internal import CNghttp2

/// The functions nghttp2 calls for a client.
///
/// Each finds its engine or room, notes what happened, and returns; none blocks, allocates on the
/// way of an accepted request, or calls the library.
enum HTTP2ClientCallbacks {
    /// CONTINUATION frames of one response's header list, of which none is more than a legal list needs.
    private static let maximumContinuations = 8

    static func makeSession() throws(HTTP2Error) -> OpaquePointer {
        let setup = try HTTP2SessionSetup(maximumContinuations: maximumContinuations)
        nghttp2_session_callbacks_set_on_begin_headers_callback(setup.callbacks, onBeginHeaders)
        nghttp2_session_callbacks_set_on_header_callback(setup.callbacks, onHeader)
        nghttp2_session_callbacks_set_on_frame_recv_callback(setup.callbacks, onFrameReceived)
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(setup.callbacks, onDataChunk)
        nghttp2_session_callbacks_set_on_frame_send_callback(setup.callbacks, onFrameSent)
        nghttp2_session_callbacks_set_on_frame_not_send_callback(setup.callbacks, onFrameNotSent)
        nghttp2_session_callbacks_set_on_stream_close_callback(setup.callbacks, onStreamClose)
        return try setup.session { nghttp2_session_client_new2($0, $1, nil, $2) }
    }

    /// Reads the next piece of a request's body out of the room behind `source`.
    static let readBody: nghttp2_data_source_read_callback = {
        _, _, buffer, capacity, flags, source, _ in
        guard let pointer = source?.pointee.ptr, let buffer, let flags else {
            return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
        }
        let room = Unmanaged<HTTP2ClientStream>.fromOpaque(pointer)
        let piece = room._withUnsafeGuaranteedRef { $0.readBody(into: buffer, capacity: capacity) }
        if piece.isLast { flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
        return piece.count
    }
}

private let callbackFailure = Int32(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
private let resetStream = Int32(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)

/// The room that was given with the request of a stream.
private func room(_ session: OpaquePointer?, _ id: Int32) -> Unmanaged<HTTP2ClientStream>? {
    nghttp2_session_get_stream_user_data(session, id).map { .fromOpaque($0) }
}

private func engine(_ userData: UnsafeMutableRawPointer?) -> Unmanaged<HTTP2ClientEngine>? {
    userData.map { .fromOpaque($0) }
}

private func onBeginHeaders(
    session: OpaquePointer?, frame: UnsafePointer<nghttp2_frame>?, _: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame else { return callbackFailure }
    room(session, reveille_nghttp2_frame_stream(frame))?._withUnsafeGuaranteedRef { room in
        room.state.pointee.hasResponse = true
    }
    return 0
}

private func onHeader(
    session: OpaquePointer?, frame: UnsafePointer<nghttp2_frame>?, name: UnsafePointer<UInt8>?,
    nameCount: Int, value: UnsafePointer<UInt8>?, valueCount: Int, _: UInt8,
    userData: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame, let name, let value, let engine = engine(userData) else {
        return callbackFailure
    }
    guard let room = room(session, reveille_nghttp2_frame_stream(frame)) else { return 0 }
    let isWelcome = room._withUnsafeGuaranteedRef { room in
        engine._withUnsafeGuaranteedRef { $0.noteField(room, name, nameCount, value, valueCount) }
    }
    return isWelcome ? 0 : resetStream
}

private func onFrameReceived(
    session: OpaquePointer?, frame: UnsafePointer<nghttp2_frame>?,
    userData: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame, let engine = engine(userData) else { return callbackFailure }
    if reveille_nghttp2_frame_ends_stream(frame) {
        guard let room = room(session, reveille_nghttp2_frame_stream(frame)) else { return 0 }
        room._withUnsafeGuaranteedRef { room in
            engine._withUnsafeGuaranteedRef { $0.noteResponseComplete(room) }
        }
    } else {
        engine._withUnsafeGuaranteedRef { $0.noteControlFrame(frame) }
    }
    return 0
}

private func onDataChunk(
    session: OpaquePointer?, _: UInt8, stream: Int32, data: UnsafePointer<UInt8>?, count: Int,
    userData: UnsafeMutableRawPointer?
) -> Int32 {
    guard let engine = engine(userData) else { return callbackFailure }
    guard let room = room(session, stream) else { return 0 }
    let bytes = UnsafeRawBufferPointer(start: data, count: count)
    room._withUnsafeGuaranteedRef { room in
        engine._withUnsafeGuaranteedRef { $0.noteBody(room, bytes) }
    }
    return 0
}

private func onFrameSent(
    session: OpaquePointer?, frame: UnsafePointer<nghttp2_frame>?, _: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame else { return callbackFailure }
    let type = UInt32(reveille_nghttp2_frame_type(frame))
    guard type == NGHTTP2_HEADERS.rawValue || type == NGHTTP2_DATA.rawValue,
        let room = room(session, reveille_nghttp2_frame_stream(frame))
    else { return 0 }
    let progress: HTTP2RequestProgress =
        reveille_nghttp2_frame_ends_stream(frame) ? .completely : .partly
    room._withUnsafeGuaranteedRef { $0.state.pointee.progress = progress }
    return 0
}

private func onFrameNotSent(
    _: OpaquePointer?, frame: UnsafePointer<nghttp2_frame>?, _: Int32,
    userData: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame, let engine = engine(userData) else { return callbackFailure }
    if UInt32(reveille_nghttp2_frame_type(frame)) == NGHTTP2_HEADERS.rawValue {
        let id = reveille_nghttp2_frame_stream(frame)
        engine._withUnsafeGuaranteedRef { $0.noteNotSent(id) }
    }
    return 0
}

private func onStreamClose(
    session: OpaquePointer?, stream: Int32, code: UInt32, userData: UnsafeMutableRawPointer?
) -> Int32 {
    guard let engine = engine(userData) else { return callbackFailure }
    guard let room = room(session, stream) else { return 0 }
    room._withUnsafeGuaranteedRef { room in
        engine._withUnsafeGuaranteedRef { $0.noteClosed(room, HTTP2ErrorCode(rawValue: code)) }
    }
    return 0
}

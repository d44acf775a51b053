internal import CNghttp2
package import ReveilleBytes

/// The server's side of one HTTP/2 connection without any I/O, over nghttp2: bytes in, events to the delegate, bytes out.
///
/// The engine belongs to one loop. It checks what the library leaves open: limits of header lists and bodies, floods of resets,
/// control frames, CONTINUATION and empty DATA, a Host that contradicts `:authority`. It answers nothing by itself but
/// what the protocol itself demands (SETTINGS and PING acknowledgements, window updates, resets of malformed requests).
package final class HTTP2ServerEngine {
    /// Hears what the client does.
    ///
    /// Weak: the delegate owns the engine.
    package weak var delegate: (any HTTP2ServerDelegate)?

    /// The limits, as they were given.
    package let limits: HTTP2ServerLimits

    let session: OpaquePointer
    var streams: [Int32: HTTP2ServerStream] = [:]
    var idleStreams: [HTTP2ServerStream] = []
    var inbox: [Event] = []
    var policing: HTTP2ServerPolicing
    /// Set by a callback that found too much work; acted on when the library has returned.
    var isOverworked = false
    var ended: HTTP2Error?
    var answerScratch = HTTP2NameValueScratch()
    /// Streams whose answer is complete while their request is not.
    var answeredEarly: [Int32] = []

    /// How many stream objects are kept for later use.
    static let maximumIdleStreams = 64

    /// What a callback noted for the delegate.
    enum Event {
        case head(HTTP2ServerStream)
        case body(HTTP2ServerStream)
        case end(HTTP2ServerStream)
        case fault(HTTP2ServerStream, HTTP2RequestFault)
        case close(HTTP2ServerStream, HTTP2ErrorCode)
    }

    /// Why the server has said GOAWAY; nil as long as it has not.
    package internal(set) var goAwaySent: HTTP2ErrorCode?
    /// Why the client has said GOAWAY; nil as long as it has not.
    package internal(set) var goAwayReceived: HTTP2ErrorCode?

    /// Starts a session and queues the server's SETTINGS.
    ///
    /// - Parameter nanoseconds: the time, on any clock that never goes back.
    /// - Throws: `http2_library_failure` when there is no memory.
    package init(
        limits: HTTP2ServerLimits = HTTP2ServerLimits(), at nanoseconds: Int64
    ) throws(HTTP2Error) {
        self.limits = limits
        policing = HTTP2ServerPolicing(limits, at: nanoseconds)
        session = try HTTP2ServerCallbacks.makeSession(limits)
        nghttp2_session_set_user_data(session, Unmanaged.passUnretained(self).toOpaque())
        try submitInitialSettings()
    }

    deinit { nghttp2_session_del(session) }

    private func submitInitialSettings() throws(HTTP2Error) {
        let entries = [
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue),
                value: UInt32(clamping: limits.maximumConcurrentStreams)),
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue),
                value: UInt32(clamping: limits.streamWindowBytes)),
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue),
                value: UInt32(clamping: limits.maximumHeaderListBytes)),
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES.rawValue), value: 1),
        ]
        let flags = UInt8(NGHTTP2_FLAG_NONE.rawValue)
        try check(nghttp2_submit_settings(session, flags, entries, entries.count))
        try check(
            nghttp2_session_set_local_window_size(
                session, flags, 0, Int32(clamping: limits.connectionWindowBytes)))
    }

    /// Whether the session is over: nothing more will be read, and nothing waits to be sent.
    package var isFinished: Bool {
        nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0
    }

    /// Whether the session still reads.
    package var wantsInput: Bool {
        ended == nil && nghttp2_session_want_read(session) != 0
    }

    /// How many requests have begun and are neither answered completely nor reset.
    package var openStreams: Int { streams.count }

    /// Takes bytes that the client sent and tells the delegate what they say.
    ///
    /// Call `takeOutput` afterwards.
    ///
    /// - Parameter nanoseconds: the time, on the clock of `init`.
    /// - Throws: when the connection cannot go on. GOAWAY may wait to be sent.
    package func receive(
        _ bytes: UnsafeRawBufferPointer, at nanoseconds: Int64
    ) throws(HTTP2Error) {
        if let ended { throw ended }
        policing.now = nanoseconds
        let result = nghttp2_session_mem_recv(
            session, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        deliver()
        if isOverworked { throw calm() }
        guard result < 0 else { return }
        let code = Int32(clamping: result)
        let error: HTTP2Error
        if code == NGHTTP2_ERR_BAD_CLIENT_MAGIC.rawValue {
            error = HTTP2Error(.prefaceMissing, libraryCode: code)
        } else if code == NGHTTP2_ERR_FLOODED.rawValue {
            error = HTTP2Error(.excessiveWork, libraryCode: code)
            terminate(.enhanceYourCalm)
        } else if code == NGHTTP2_ERR_NOMEM.rawValue {
            error = HTTP2Error(.libraryFailure, libraryCode: code)
        } else {
            error = HTTP2Error(.protocolViolation, libraryCode: code)
            terminate(.protocolError)
        }
        ended = error
        throw error
    }

    /// Moves what waits to be sent into a queue, as far as the queue holds less than the limit.
    ///
    /// Call it again when the queue is empty.
    ///
    /// - Throws: when the connection cannot go on. Send what the queue holds and close.
    package func takeOutput(into queue: ByteQueue) throws(HTTP2Error) {
        try takeOutput(room: limits.maximumPendingOutputBytes - queue.count) { queue.append($0) }
    }

    /// Hands what waits to be sent to `write`, piece by piece, until there is nothing more or `room` is used up.
    ///
    /// A piece is a frame, so that the room is exceeded by less than one.
    ///
    /// - Throws: when the connection cannot go on. Send what was written and close.
    package func takeOutput(
        room: Int, _ write: (UnsafeRawBufferPointer) -> Void
    ) throws(HTTP2Error) {
        var rest = room
        repeat {
            try drain(&rest, write)
            // What closed on the way may make the delegate answer something else.
        } while deliver() && rest > 0
        if isOverworked, ended == nil {
            let error = calm()
            try drain(&rest, write)
            throw error
        }
    }

    private func drain(
        _ rest: inout Int, _ write: (UnsafeRawBufferPointer) -> Void
    ) throws(HTTP2Error) {
        while rest > 0 {
            var data: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(session, &data)
            if count < 0 {
                let error = HTTP2Error(.libraryFailure, libraryCode: Int32(clamping: count))
                ended = ended ?? error
                throw error
            }
            guard count > 0 else {
                guard resetAnsweredEarly() else { return }
                continue
            }
            write(UnsafeRawBufferPointer(start: data, count: count))
            rest -= count
        }
    }

    /// An answer that is complete before its request lets the client stop (RFC 9113 section 8.1).
    private func resetAnsweredEarly() -> Bool {
        guard !answeredEarly.isEmpty else { return false }
        for stream in answeredEarly where streams[stream] != nil {
            policing.expectOwnReset()
            nghttp2_submit_rst_stream(
                session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream,
                HTTP2ErrorCode.noError.rawValue)
        }
        answeredEarly.removeAll(keepingCapacity: true)
        return true
    }

    /// Ends a session whose client causes too much work.
    private func calm() -> HTTP2Error {
        let error = HTTP2Error(.excessiveWork)
        ended = error
        terminate(.enhanceYourCalm)
        return error
    }

    /// Tells the delegate what the callbacks noted; false when there was nothing.
    ///
    /// A stream that was reset before the delegate heard of it is never told.
    @discardableResult
    private func deliver() -> Bool {
        guard !inbox.isEmpty else { return false }
        let delegate = delegate
        var events: [Event] = []
        swap(&events, &inbox)
        for event in events {
            switch event {
            case .head(let stream):
                guard announce(stream) else { continue }
                delegate?.stream(stream.id, didReceive: stream.takeHead())
            case .body(let stream):
                stream.hasQueuedBody = false
                if stream.delivery == .announced, stream.fault == nil {
                    stream.unreadBody.withUnsafeBytes {
                        delegate?.stream(stream.id, didReceiveBody: $0)
                    }
                }
                stream.unreadBody.removeAll(keepingCapacity: true)
            case .end(let stream):
                guard stream.delivery == .announced else { continue }
                delegate?.streamDidEnd(stream.id)
            case .fault(let stream, let fault):
                guard announce(stream) else { continue }
                delegate?.stream(stream.id, didBreak: fault)
            case .close(let stream, let code):
                if stream.delivery == .announced {
                    delegate?.stream(stream.id, didClose: code)
                }
                recycle(stream)
            }
        }
        events.removeAll(keepingCapacity: true)
        if inbox.isEmpty { swap(&events, &inbox) }
        return true
    }

    private func announce(_ stream: HTTP2ServerStream) -> Bool {
        switch stream.delivery {
        case .announced: return true
        case .pending:
            guard !stream.isClosed else { return false }
            stream.delivery = .announced
            delegate?.streamDidBegin(stream.id)
            return true
        }
    }

    private func recycle(_ stream: HTTP2ServerStream) {
        guard idleStreams.count < Self.maximumIdleStreams else { return }
        stream.answer = []
        idleStreams.append(stream)
    }

    func check(_ result: Int32) throws(HTTP2Error) {
        guard result != 0 else { return }
        if result == NGHTTP2_ERR_STREAM_CLOSED.rawValue
            || result == NGHTTP2_ERR_INVALID_STREAM_ID.rawValue
            || result == NGHTTP2_ERR_DATA_EXIST.rawValue
        {
            throw HTTP2Error(.streamUnknown, libraryCode: result)
        }
        throw HTTP2Error(.libraryFailure, libraryCode: result)
    }
}

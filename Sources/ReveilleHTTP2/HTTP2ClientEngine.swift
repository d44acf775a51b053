internal import CNghttp2
package import ReveilleBytes

/// The client's side of one HTTP/2 connection without any I/O, over nghttp2: bytes in, ended streams and notices out, bytes out.
///
/// Made for a sender that never stops: rooms for streams are made once, requests lie in memory of their owner, and a request
/// that is answered costs no allocation above the library's own. The engine belongs to one loop. Its owner takes a room,
/// fills and submits it, moves output to a socket, gives input back, and then takes the ended streams out one by one.
///
/// The library counts `authorization` among the fields that are never indexed, whatever its caller says; so does Apple's
/// first text on the matter ("Sending notification requests to APNs"). The second allows to index it once per token.
package final class HTTP2ClientEngine {
    /// The limits, as they were given.
    package let limits: HTTP2ClientLimits

    let session: OpaquePointer
    let watchedNames: [StaticString]

    private var rooms: [HTTP2ClientStream] = []
    private let freeRooms: IndexQueue
    private let endedRooms: IndexQueue
    /// Streams to reset when the library has returned: answered before their request was complete, or endless.
    private var streamsToReset: [Int32] = []
    private var failure: HTTP2Error?

    /// Streams submitted and not ended.
    package private(set) var openStreams = 0
    /// How many streams the server allows at present; ``HTTP2ClientLimits/streamsBeforeSettings`` until it has said so.
    package private(set) var peerStreamLimit: Int
    /// True once the server's SETTINGS have come.
    package private(set) var hasPeerSettings = false
    /// The server's last GOAWAY; afterwards no stream may be opened.
    package private(set) var goAway: HTTP2GoAway?
    /// The payload of the last PING that came back.
    package private(set) var lastPingReturned: UInt64?
    /// What happened since the owner last asked.
    private var notices: HTTP2ClientNotices = []
    private var lastStreamID: Int32 = 0
    private var saidGoAway = false

    /// Starts a session and queues the client's preface and SETTINGS: no push, large windows.
    ///
    /// - Parameters:
    ///   - limits: What the engine allows itself and the server.
    ///   - watchedFields: Names, in lower case, of up to four response fields whose values are kept.
    ///   - firstStream: The number of the first stream, odd; for tests of the end of the numbers.
    /// - Throws: `http2_library_failure` when there is no memory.
    package init(
        limits: HTTP2ClientLimits = HTTP2ClientLimits(), watchedFields: [StaticString] = [],
        firstStream: Int32 = 1
    ) throws(HTTP2Error) {
        precondition(watchedFields.count <= HTTP2ClientStream.maximumWatchedFields)
        self.limits = limits
        watchedNames = watchedFields
        peerStreamLimit = limits.streamsBeforeSettings
        freeRooms = IndexQueue(capacity: limits.maximumStreams)
        endedRooms = IndexQueue(capacity: limits.maximumStreams)
        session = try HTTP2ClientCallbacks.makeSession()
        nghttp2_session_set_user_data(session, Unmanaged.passUnretained(self).toOpaque())
        if firstStream > 1 { nghttp2_session_set_next_stream_id(session, firstStream) }
        try submitInitialSettings()
    }

    deinit { nghttp2_session_del(session) }

    private func submitInitialSettings() throws(HTTP2Error) {
        let values: [(nghttp2_settings_id, Int)] = [
            (NGHTTP2_SETTINGS_ENABLE_PUSH, 0),
            (NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, limits.streamWindowBytes),
            (NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, limits.maximumHeaderListBytes),
        ]
        let entries = values.map {
            nghttp2_settings_entry(settings_id: Int32($0.rawValue), value: UInt32(clamping: $1))
        }
        let flags = UInt8(NGHTTP2_FLAG_NONE.rawValue)
        try check(nghttp2_submit_settings(session, flags, entries, entries.count))
        try check(
            nghttp2_session_set_local_window_size(
                session, flags, 0, Int32(clamping: limits.connectionWindowBytes)))
    }

    // MARK: Streams

    /// Whether new streams may be opened at all, apart from the server's present limit.
    package var takesStreams: Bool {
        failure == nil && goAway == nil && !saidGoAway && lastStreamID < Int32.max
    }

    /// How many streams may be opened at present.
    package var availableStreams: Int {
        guard takesStreams else { return 0 }
        let allowed = min(peerStreamLimit, limits.maximumStreams)
        return max(0, min(allowed - openStreams, limits.maximumStreams - busyRooms))
    }

    private var busyRooms: Int { rooms.count - freeRooms.count }

    /// Takes an empty room, or nil when no stream may be opened.
    ///
    /// Submit it or give it back.
    package func takeStream() -> HTTP2ClientStream? {
        guard availableStreams > 0 else { return nil }
        let room: HTTP2ClientStream
        if let index = freeRooms.popLast() {
            room = rooms[index]
        } else {
            room = HTTP2ClientStream(index: rooms.count, keptBodyCapacity: limits.keptBodyBytes)
            rooms.append(room)
        }
        room.reset()
        return room
    }

    /// Gives a room back: one that was taken and not submitted, or one that was handed out as ended.
    package func giveBack(_ stream: HTTP2ClientStream) {
        precondition(
            stream.state.pointee.phase == .filling || stream.state.pointee.phase == .ended,
            "a room was given back while its stream is open")
        stream.state.pointee.phase = .free
        freeRooms.append(stream.index)
    }

    /// Opens a stream with the room's request.
    ///
    /// It leaves with the next ``takeOutput(into:)``.
    ///
    /// - Throws: when the library refuses. The room is then still the caller's, to be given back.
    package func submit(_ stream: HTTP2ClientStream) throws(HTTP2Error) {
        let state = stream.state
        precondition(state.pointee.phase == .filling, "a room was submitted twice")
        let room = Unmanaged.passUnretained(stream).toOpaque()
        var body = nghttp2_data_provider(
            source: nghttp2_data_source(ptr: room), read_callback: HTTP2ClientCallbacks.readBody)
        let hasBody = state.pointee.bodyCount > 0
        let id = withUnsafePointer(to: &body) {
            nghttp2_submit_request(
                session, nil, stream.fields, state.pointee.fieldCount, hasBody ? $0 : nil, room)
        }
        guard id > 0 else { throw HTTP2Error(.libraryFailure, libraryCode: id) }
        state.pointee.id = id
        state.pointee.phase = .open
        lastStreamID = id
        openStreams += 1
    }

    /// Gives a stream up: it is reset, and ends as cancelled unless its response is complete by then.
    package func cancel(_ stream: HTTP2ClientStream) {
        guard stream.state.pointee.phase == .open else { return }
        stream.state.pointee.isCancelled = true
        nghttp2_submit_rst_stream(
            session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream.id, HTTP2ErrorCode.cancel.rawValue)
    }

    /// Takes out one stream that has ended, oldest first.
    ///
    /// Read its end and response, then give the room back.
    package func takeEndedStream() -> HTTP2ClientStream? {
        endedRooms.popFirst().map { rooms[$0] }
    }

    /// What happened since the last call.
    package func takeNotices() -> HTTP2ClientNotices {
        if notices.isEmpty { return [] }
        defer { notices = [] }
        return notices
    }

    // MARK: Bytes

    /// Takes bytes that the server sent.
    ///
    /// Take ended streams, notices and output afterwards.
    ///
    /// - Throws: when the connection cannot go on. Send the output, then close.
    package func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTP2Error) {
        if let failure { throw failure }
        let result = nghttp2_session_mem_recv(
            session, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        if !streamsToReset.isEmpty { resetStreams() }
        if result < 0 { throw fail(Int32(clamping: result), .protocolViolation) }
    }

    /// Moves what waits to be sent into a queue, as far as the queue holds less than the limit.
    ///
    /// Call it again when the queue is empty.
    ///
    /// - Throws: when the connection cannot go on. Send what the queue holds and close.
    package func takeOutput(into queue: ByteQueue) throws(HTTP2Error) {
        while queue.count < limits.maximumPendingOutputBytes {
            var data: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(session, &data)
            if count < 0 { throw fail(Int32(clamping: count), .libraryFailure) }
            guard count > 0 else { return }
            queue.append(UnsafeRawBufferPointer(start: data, count: count))
        }
    }

    /// Whether the session is over: nothing more will be read, and nothing waits to be sent.
    package var isFinished: Bool {
        nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0
    }

    // MARK: The connection

    /// Queues a PING; its return is a notice.
    package func ping(_ payload: UInt64) throws(HTTP2Error) {
        let result = withUnsafeBytes(of: payload.bigEndian) {
            nghttp2_submit_ping(
                session, UInt8(NGHTTP2_FLAG_NONE.rawValue),
                $0.bindMemory(to: UInt8.self).baseAddress)
        }
        try check(result)
    }

    /// Opens no more streams and tells the server so.
    ///
    /// Those that are open go on.
    package func sayGoAway() {
        guard !saidGoAway, failure == nil else { return }
        saidGoAway = true
        nghttp2_submit_goaway(
            session, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, HTTP2ErrorCode.noError.rawValue, nil, 0)
    }

    /// Ends every open stream, each once: the connection is gone.
    ///
    /// Further calls do nothing.
    package func connectionDidEnd() {
        failure = failure ?? HTTP2Error(.sessionEnded)
        guard openStreams > 0 else { return }
        for room in rooms where room.state.pointee.phase == .open {
            finish(room, lost(room))
        }
    }

    private func lost(_ room: HTTP2ClientStream) -> HTTP2StreamEnd {
        if room.state.pointee.isResponseComplete { return .answered }
        return room.progress < .completely ? .unprocessed : .connectionLost
    }

    private func check(_ result: Int32) throws(HTTP2Error) {
        if result != 0 { throw HTTP2Error(.libraryFailure, libraryCode: result) }
    }

    private func fail(_ code: Int32, _ kind: HTTP2Error.Code) -> HTTP2Error {
        let known = [NGHTTP2_ERR_NOMEM.rawValue, NGHTTP2_ERR_CALLBACK_FAILURE.rawValue]
        let flooded = [
            NGHTTP2_ERR_FLOODED.rawValue, NGHTTP2_ERR_TOO_MANY_CONTINUATIONS.rawValue,
        ]
        let error =
            known.contains(code)
            ? HTTP2Error(.libraryFailure, libraryCode: code)
            : HTTP2Error(flooded.contains(code) ? .excessiveWork : kind, libraryCode: code)
        failure = failure ?? error
        return error
    }

    private func resetStreams() {
        for id in streamsToReset {
            nghttp2_submit_rst_stream(
                session, UInt8(NGHTTP2_FLAG_NONE.rawValue), id, HTTP2ErrorCode.cancel.rawValue)
        }
        streamsToReset.removeAll(keepingCapacity: true)
    }
}

// MARK: - For the callbacks: they note and return

extension HTTP2ClientEngine {
    func noteResponseComplete(_ stream: HTTP2ClientStream) {
        stream.state.pointee.isResponseComplete = true
        // A response that is complete before its request frees the stream at once (RFC 9113 section 8.1).
        if stream.progress < .completely { streamsToReset.append(stream.id) }
    }

    func noteEndless(_ stream: HTTP2ClientStream) {
        streamsToReset.append(stream.id)
    }

    func noteClosed(_ stream: HTTP2ClientStream, _ code: HTTP2ErrorCode) {
        let state = stream.state
        guard state.pointee.phase == .open else { return }
        let end: HTTP2StreamEnd
        if state.pointee.isResponseComplete {
            end = .answered
        } else if code == .refusedStream || state.pointee.progress == .nothing {
            end = .unprocessed
        } else if state.pointee.isCancelled {
            end = .cancelled
        } else {
            end = .reset(code)
        }
        finish(stream, end)
    }

    /// A request that the library took and then could not send.
    func noteNotSent(_ id: Int32) {
        for room in rooms where room.id == id && room.state.pointee.phase == .open {
            finish(room, .unprocessed)
        }
    }

    func noteSettings() {
        hasPeerSettings = true
        peerStreamLimit = Int(
            nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS))
        notices.insert(.settingsChanged)
    }

    func noteGoAway(lastStream: Int32, code: UInt32, debug: UnsafeRawBufferPointer) {
        goAway = HTTP2GoAway(
            lastStreamID: lastStream, code: HTTP2ErrorCode(rawValue: code),
            debugData: Array(debug.prefix(limits.maximumDebugBytes)))
        notices.insert(.goAwayReceived)
    }

    func notePingReturned(_ payload: UInt64) {
        lastPingReturned = payload
        notices.insert(.pingReturned)
    }

    private func finish(_ stream: HTTP2ClientStream, _ end: HTTP2StreamEnd) {
        stream.state.pointee.phase = .ended
        stream.state.pointee.end = end
        openStreams -= 1
        endedRooms.append(stream.index)
    }
}

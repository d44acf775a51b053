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
    let watchedFields: WatchedFields
    let rooms: HTTP2ClientRooms

    /// What is looked at for every stream, in memory without exclusivity checks.
    struct Counts {
        var openStreams = 0
        var peerStreamLimit: Int
        /// False once no stream may be opened any more.
        var takesStreams = true
    }

    let counts: UnsafeMutablePointer<Counts>
    var failure: HTTP2Error?
    var receivedGoAway: HTTP2GoAway?
    var returnedPing: UInt64?
    var receivedSettings = false
    var notices: HTTP2ClientNotices = []
    private var saidGoAway = false
    /// Streams to reset when the library has returned: answered before their request was complete, or endless.
    var streamsToReset: [Int32] = []

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
        self.limits = limits
        self.watchedFields = WatchedFields(watchedFields)
        rooms = HTTP2ClientRooms(limits)
        session = try HTTP2ClientCallbacks.makeSession()
        counts = .allocate(capacity: 1)
        counts.initialize(to: Counts(peerStreamLimit: limits.streamsBeforeSettings))
        nghttp2_session_set_user_data(session, Unmanaged.passUnretained(self).toOpaque())
        if firstStream > 1 { nghttp2_session_set_next_stream_id(session, firstStream) }
        try submitInitialSettings()
    }

    deinit {
        nghttp2_session_del(session)
        counts.deallocate()
    }

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

    // MARK: What the owner may ask

    /// Streams submitted and not ended.
    package var openStreams: Int { counts.pointee.openStreams }
    /// How many streams the server allows at present; ``HTTP2ClientLimits/streamsBeforeSettings`` until it has said so.
    package var peerStreamLimit: Int { counts.pointee.peerStreamLimit }
    /// True once the server's SETTINGS have come.
    package var hasPeerSettings: Bool { receivedSettings }
    /// The server's last GOAWAY; afterwards no stream may be opened.
    package var goAway: HTTP2GoAway? { receivedGoAway }
    /// The payload of the last PING that came back.
    package var lastPingReturned: UInt64? { returnedPing }
    /// Whether new streams may be opened at all, apart from the server's present limit.
    package var takesStreams: Bool { counts.pointee.takesStreams }

    /// How many streams may be opened at present.
    package var availableStreams: Int {
        guard counts.pointee.takesStreams else { return 0 }
        let allowed = counts.pointee.peerStreamLimit - counts.pointee.openStreams
        return max(0, min(allowed, rooms.available))
    }

    // MARK: Streams

    /// Takes an empty room, or nil when no stream may be opened.
    ///
    /// Submit it or give it back.
    package func takeStream() -> HTTP2ClientStream? {
        availableStreams > 0 ? rooms.take() : nil
    }

    /// Gives a room back: one that was taken and not submitted, or one that was handed out as ended.
    package func giveBack(_ stream: HTTP2ClientStream) {
        rooms.giveBack(stream)
    }

    /// Opens a stream with the room's request, which leaves with the next ``takeOutput(into:)``.
    ///
    /// When the library refuses, the stream ends as unprocessed and no more streams are taken.
    package func submit(_ stream: HTTP2ClientStream) {
        let state = stream.state
        precondition(state.pointee.phase == .filling, "a room was submitted twice")
        state.pointee.phase = .open
        counts.pointee.openStreams += 1
        let room = Unmanaged.passUnretained(stream).toOpaque()
        var body = nghttp2_data_provider(
            source: nghttp2_data_source(ptr: room), read_callback: HTTP2ClientCallbacks.readBody)
        let hasBody = state.pointee.bodyCount > 0
        let id = withUnsafePointer(to: &body) {
            nghttp2_submit_request(session, nil, stream.fields, state.pointee.fieldCount, hasBody ? $0 : nil, room)
        }
        guard id > 0 else {
            _ = fail(id, .libraryFailure)
            return finish(stream, .unprocessed)
        }
        state.pointee.id = id
        if id == Int32.max { counts.pointee.takesStreams = false }
    }

    /// The room with a number, as long as the engine lives.
    package func stream(inRoom index: Int) -> HTTP2ClientStream { rooms[index] }

    /// Gives a stream up: it is reset, and ends as cancelled unless its response is complete by then.
    package func cancel(_ stream: HTTP2ClientStream) {
        guard stream.state.pointee.phase == .open else { return }
        stream.state.pointee.isCancelled = true
        reset(stream.id)
    }

    /// Takes out one stream that has ended, oldest first.
    ///
    /// Read its end and response, then give the room back.
    package func takeEndedStream() -> HTTP2ClientStream? {
        rooms.takeEnded()
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
            session, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
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

    /// Whether ``takeOutput(into:)`` has something to move.
    package var wantsOutput: Bool { nghttp2_session_want_write(session) != 0 }

    /// Whether the session is over: nothing more will be read, and nothing waits to be sent.
    package var isFinished: Bool {
        nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0
    }

    // MARK: The connection

    /// Queues a PING; its return is a notice.
    package func ping(_ payload: UInt64) throws(HTTP2Error) {
        let result = withUnsafeBytes(of: payload.bigEndian) {
            nghttp2_submit_ping(
                session, UInt8(NGHTTP2_FLAG_NONE.rawValue), $0.bindMemory(to: UInt8.self).baseAddress)
        }
        try check(result)
    }

    /// Opens no more streams and tells the server so.
    ///
    /// Those that are open go on.
    package func sayGoAway() {
        guard !saidGoAway, failure == nil else { return }
        saidGoAway = true
        counts.pointee.takesStreams = false
        nghttp2_submit_goaway(
            session, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, HTTP2ErrorCode.noError.rawValue, nil, 0)
    }

    /// Ends every open stream, each once: the connection is gone.
    ///
    /// Further calls do nothing.
    package func connectionDidEnd() {
        counts.pointee.takesStreams = false
        failure = failure ?? HTTP2Error(.sessionEnded)
        guard counts.pointee.openStreams > 0 else { return }
        rooms.forEachOpen { finish($0, Self.lost($0)) }
    }

    private static func lost(_ stream: HTTP2ClientStream) -> HTTP2StreamEnd {
        if stream.state.pointee.isResponseComplete { return .answered }
        return stream.progress < .completely ? .unprocessed : .connectionLost
    }

    // MARK: -

    func finish(_ stream: HTTP2ClientStream, _ end: HTTP2StreamEnd) {
        stream.state.pointee.end = end
        counts.pointee.openStreams -= 1
        rooms.end(stream)
    }

    private func reset(_ id: Int32) {
        nghttp2_submit_rst_stream(
            session, UInt8(NGHTTP2_FLAG_NONE.rawValue), id, HTTP2ErrorCode.cancel.rawValue)
    }

    private func resetStreams() {
        for id in streamsToReset { reset(id) }
        streamsToReset.removeAll(keepingCapacity: true)
    }

    private func check(_ result: Int32) throws(HTTP2Error) {
        if result != 0 { throw HTTP2Error(.libraryFailure, libraryCode: result) }
    }

    private func fail(_ code: Int32, _ kind: HTTP2Error.Code) -> HTTP2Error {
        let ours = [NGHTTP2_ERR_NOMEM.rawValue, NGHTTP2_ERR_CALLBACK_FAILURE.rawValue]
        let flooded = [NGHTTP2_ERR_FLOODED.rawValue, NGHTTP2_ERR_TOO_MANY_CONTINUATIONS.rawValue]
        let error: HTTP2Error =
            ours.contains(code)
            ? HTTP2Error(.libraryFailure, libraryCode: code)
            : HTTP2Error(flooded.contains(code) ? .excessiveWork : kind, libraryCode: code)
        counts.pointee.takesStreams = false
        failure = failure ?? error
        return error
    }
}

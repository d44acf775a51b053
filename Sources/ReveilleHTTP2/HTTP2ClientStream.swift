internal import CNghttp2

/// Whether header compression may remember a field (RFC 7541 section 6.2).
package enum HTTP2FieldCompression: Sendable {
    /// The field repeats on this connection and may enter the table.
    case indexed
    /// The field is private or new each time: a literal that is never indexed, here or at an intermediary.
    case neverIndexed
}

/// How far a request got towards the server.
package enum HTTP2RequestProgress: Int, Sendable, Comparable {
    /// Not one octet was handed out.
    case nothing
    /// The header list was handed out, the end of the request was not: a server cannot have acted on it.
    case partly
    /// Everything was handed out.
    case completely

    package static func < (left: HTTP2RequestProgress, right: HTTP2RequestProgress) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// How a stream of a client ended.
package enum HTTP2StreamEnd: Sendable, Hashable {
    /// The response is complete.
    case answered
    /// It is certain that the server processed nothing: the stream was above the last stream id of a GOAWAY, was refused, or
    /// never left (RFC 9113 sections 6.8 and 8.7).
    case unprocessed
    /// Either side reset the stream.
    case reset(HTTP2ErrorCode)
    /// The owner gave it up.
    case cancelled
    /// The connection ended before the response.
    case connectionLost
}

/// One stream's room on a client connection: the fields and body of its request, and what is kept of the response.
///
/// Rooms are made once and used again. Names, values and body are not copied: they must stay where they are until the stream
/// has ended and its owner gives the room back. Belongs to the loop of its engine.
package final class HTTP2ClientStream {
    /// The most fields of a request, pseudo-header fields included.
    package static let maximumFields = 32
    /// The longest value kept of a watched response field; longer ones count as absent.
    package static let maximumWatchedBytes = 64
    /// How many response fields an engine can watch.
    package static let maximumWatchedFields = 4

    /// The place among the engine's rooms, from 0; it never changes.
    package let index: Int

    /// What changes, in memory without exclusivity checks: the callbacks touch it several times a request.
    struct State {
        var id: Int32 = 0
        var phase = Phase.free
        var progress = HTTP2RequestProgress.nothing
        var end = HTTP2StreamEnd.connectionLost
        var isCancelled = false
        var hasResponse = false
        var isResponseComplete = false
        var fieldCount = 0
        var bodyCount = 0
        var bodyOffset = 0
        var bodyStart: UnsafeRawPointer?
        var status = 0
        var headerListBytes = 0
        var receivedBodyBytes = 0
        var keptBodyBytes = 0
        var watchedCounts = (UInt8(0), UInt8(0), UInt8(0), UInt8(0))
    }

    enum Phase {
        case free
        case filling
        case open
        case ended
    }

    let state: UnsafeMutablePointer<State>
    let fields: UnsafeMutablePointer<nghttp2_nv>
    private let watched: UnsafeMutablePointer<UInt8>
    private let keptBodyCapacity: Int
    private var keptBody: UnsafeMutableRawPointer?

    init(index: Int, keptBodyCapacity: Int) {
        self.index = index
        self.keptBodyCapacity = keptBodyCapacity
        state = .allocate(capacity: 1)
        state.initialize(to: State())
        fields = .allocate(capacity: Self.maximumFields)
        watched = .allocate(capacity: Self.maximumWatchedFields * Self.maximumWatchedBytes)
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
        fields.deallocate()
        watched.deallocate()
        keptBody?.deallocate()
    }

    // MARK: The request

    /// The stream's number, 0 before it was submitted.
    package var id: Int32 { state.pointee.id }

    /// How far the request got.
    package var progress: HTTP2RequestProgress { state.pointee.progress }

    /// Adds a field.
    ///
    /// Pseudo-header fields come first; the name is in lower case.
    ///
    /// - Precondition: fewer than ``maximumFields`` were added since the room was taken.
    @inline(__always)
    package func add(
        _ name: StaticString, _ value: UnsafePointer<UInt8>, count: Int,
        _ compression: HTTP2FieldCompression
    ) {
        add(name: name.utf8Start, nameCount: name.utf8CodeUnitCount, value: value, count: count, compression)
    }

    /// Adds a field with a constant value that repeats.
    @inline(__always)
    package func add(_ name: StaticString, _ value: StaticString) {
        add(name, value.utf8Start, count: value.utf8CodeUnitCount, .indexed)
    }

    /// Adds a field by the addresses of its parts.
    package func add(
        name: UnsafePointer<UInt8>, nameCount: Int, value: UnsafePointer<UInt8>, count: Int,
        _ compression: HTTP2FieldCompression
    ) {
        let position = state.pointee.fieldCount
        precondition(position < Self.maximumFields, "more fields than a request may have")
        fields[position] = reveille_nghttp2_field(
            name, nameCount, value, count, compression == .neverIndexed)
        state.pointee.fieldCount = position + 1
    }

    /// Sets the body; without one the request ends with its header list.
    package func setBody(_ body: UnsafeRawBufferPointer) {
        state.pointee.bodyStart = body.baseAddress
        state.pointee.bodyCount = body.count
    }

    // MARK: The response

    /// How the stream ended; meaningful once the engine has handed it out as ended.
    package var end: HTTP2StreamEnd { state.pointee.end }

    /// The status of the response, 0 before it came.
    package var status: Int { state.pointee.status }

    /// Lends the octets kept of the response's body.
    package func withBody<R>(_ use: (UnsafeRawBufferPointer) -> R) -> R {
        use(UnsafeRawBufferPointer(start: keptBody, count: state.pointee.keptBodyBytes))
    }

    /// Lends the value of the watched field at a position of the engine's list, or nil when the response had none.
    package func withWatchedField<R>(_ position: Int, _ use: (UnsafeRawBufferPointer?) -> R) -> R {
        let count = watchedCount(position)
        guard count > 0 else { return use(nil) }
        let start = watched + position * Self.maximumWatchedBytes
        return use(UnsafeRawBufferPointer(start: start, count: count))
    }

    private func watchedCount(_ position: Int) -> Int {
        let counts = state.pointee.watchedCounts
        switch position {
        case 0: return Int(counts.0)
        case 1: return Int(counts.1)
        case 2: return Int(counts.2)
        case 3: return Int(counts.3)
        default: return 0
        }
    }
}

// MARK: - For the engine

extension HTTP2ClientStream {
    /// Prepares the room for the next request.
    func reset() {
        state.pointee = State()
        state.pointee.phase = .filling
    }

    /// Hands the next piece of the body to the library; true when it was the last.
    func readBody(into buffer: UnsafeMutablePointer<UInt8>, capacity: Int) -> (count: Int, isLast: Bool) {
        let count = min(capacity, state.pointee.bodyCount - state.pointee.bodyOffset)
        if count > 0, let start = state.pointee.bodyStart {
            UnsafeMutableRawPointer(buffer).copyMemory(
                from: start + state.pointee.bodyOffset, byteCount: count)
        }
        state.pointee.bodyOffset += count
        return (count, state.pointee.bodyOffset == state.pointee.bodyCount)
    }

    /// Keeps the value of a watched field.
    func keepWatched(_ position: Int, _ value: UnsafePointer<UInt8>, _ count: Int) {
        guard count <= Self.maximumWatchedBytes else { return }
        (watched + position * Self.maximumWatchedBytes).update(from: value, count: count)
        let kept = UInt8(count)
        switch position {
        case 0: state.pointee.watchedCounts.0 = kept
        case 1: state.pointee.watchedCounts.1 = kept
        case 2: state.pointee.watchedCounts.2 = kept
        case 3: state.pointee.watchedCounts.3 = kept
        default: preconditionFailure("an engine watches four fields")
        }
    }

    /// Keeps the first octets of the body.
    ///
    /// The memory is taken once, at the first response that has a body.
    func keepBody(_ bytes: UnsafeRawBufferPointer) {
        let count = min(bytes.count, keptBodyCapacity - state.pointee.keptBodyBytes)
        guard count > 0, let source = bytes.baseAddress else { return }
        let target = keptBody ?? .allocate(byteCount: keptBodyCapacity, alignment: 16)
        keptBody = target
        (target + state.pointee.keptBodyBytes).copyMemory(from: source, byteCount: count)
        state.pointee.keptBodyBytes += count
    }
}

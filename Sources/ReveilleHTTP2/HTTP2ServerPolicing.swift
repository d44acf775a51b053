internal import CNghttp2

/// Counts what a client makes the server do besides requests.
struct HTTP2ServerPolicing {
    /// The time of the bytes that are being read, in nanoseconds.
    var now: Int64
    private let maximumContinuations: Int
    private var continuations = 0
    private var resets: WorkBudget
    private var controlFrames: WorkBudget
    private var windowUpdates: WorkBudget
    private var emptyDataFrames: WorkBudget
    /// Resets that the application asked for and that are still to be sent; these are not the client's doing.
    private var ownResets = 0

    init(_ limits: HTTP2ServerLimits, at nanoseconds: Int64) {
        now = nanoseconds
        maximumContinuations = limits.maximumContinuations
        resets = WorkBudget(limits.resets, at: nanoseconds)
        controlFrames = WorkBudget(limits.controlFrames, at: nanoseconds)
        windowUpdates = WorkBudget(limits.windowUpdates, at: nanoseconds)
        emptyDataFrames = WorkBudget(limits.emptyDataFrames, at: nanoseconds)
    }

    /// Whether the client may send this frame too.
    mutating func allowsFrame(type: UInt8) -> Bool {
        switch UInt32(type) {
        case NGHTTP2_CONTINUATION.rawValue:
            continuations += 1
            return continuations <= maximumContinuations
        case NGHTTP2_HEADERS.rawValue:
            continuations = 0
            return true
        case NGHTTP2_DATA.rawValue:
            return true
        case NGHTTP2_RST_STREAM.rawValue:
            return resets.spend(at: now)
        case NGHTTP2_WINDOW_UPDATE.rawValue:
            return windowUpdates.spend(at: now)
        default:
            return controlFrames.spend(at: now)
        }
    }

    /// Whether the client may send one more DATA frame that carries nothing.
    mutating func allowsEmptyData() -> Bool { emptyDataFrames.spend(at: now) }

    /// Notes that a DATA frame went out, which the client answers with window updates.
    mutating func noteDataSent() { windowUpdates.earn(2) }

    /// Notes that the application resets a stream.
    mutating func expectOwnReset() { ownResets += 1 }

    /// Whether the server may go on after it had to reset a stream.
    mutating func allowsSentReset() -> Bool {
        if ownResets > 0 {
            ownResets -= 1
            return true
        }
        return resets.spend(at: now)
    }
}

/// What a server lets one connection do.
///
/// Rates are token buckets: so many at once, and so many more each second.
package struct HTTP2ServerLimits: Sendable, Equatable {
    /// A token bucket: the burst it allows and the tokens it regains each second.
    package struct Rate: Sendable, Equatable {
        /// The largest number at once.
        package var burst: Int
        /// The number regained each second.
        package var perSecond: Int

        /// A bucket that starts full.
        package init(burst: Int, perSecond: Int) {
            self.burst = burst
            self.perSecond = perSecond
        }
    }

    /// Streams open at once (SETTINGS_MAX_CONCURRENT_STREAMS).
    ///
    /// Each may hold a header list and a body.
    package var maximumConcurrentStreams: Int
    /// The header list as HTTP/2 counts it (SETTINGS_MAX_HEADER_LIST_SIZE): 32 octets more for each field.
    package var maximumHeaderListBytes: Int
    /// Fields in one list.
    ///
    /// As for HTTP/1.1: a browser behind two proxies sends about 30.
    package var maximumFields: Int
    /// A request's body.
    package var maximumBodyBytes: Int
    /// What a client may send on one stream before the server reads on.
    ///
    /// A whole body of ordinary size fits.
    package var streamWindowBytes: Int
    /// What a client may send on all streams before the server reads on.
    package var connectionWindowBytes: Int
    /// CONTINUATION frames of one header block (the CONTINUATION flood, CVE-2024-27316 and its kin).
    ///
    /// With frames of 16 KiB, one is already more than a legal list needs.
    package var maximumContinuations: Int
    /// Streams the client resets, or makes the server reset by breaking a rule (rapid reset, CVE-2023-44487, and its
    /// variant through the server's own resets, CVE-2025-8671).
    ///
    /// A page that is left cancels a few dozen requests.
    package var resets: Rate
    /// PING, SETTINGS, PRIORITY and GOAWAY frames (CVE-2019-9512, -9513, -9515).
    ///
    /// A client that measures its delay pings a few times a second.
    package var controlFrames: Rate
    /// WINDOW_UPDATE frames beyond two for each DATA frame that was sent.
    package var windowUpdates: Rate
    /// DATA frames without data that do not end a stream (CVE-2019-9518).
    ///
    /// They serve no purpose.
    package var emptyDataFrames: Rate
    /// What is taken from the library ahead of the socket.
    package var maximumPendingOutputBytes: Int

    /// Sets each limit; what is not given suits an API of small JSON messages.
    package init(
        maximumConcurrentStreams: Int = 128,
        maximumHeaderListBytes: Int = 16 * 1024,
        maximumFields: Int = 64,
        maximumBodyBytes: Int = 64 * 1024,
        streamWindowBytes: Int = 128 * 1024,
        connectionWindowBytes: Int = 1024 * 1024,
        maximumContinuations: Int = 8,
        resets: Rate = Rate(burst: 200, perSecond: 20),
        controlFrames: Rate = Rate(burst: 200, perSecond: 20),
        windowUpdates: Rate = Rate(burst: 1000, perSecond: 100),
        emptyDataFrames: Rate = Rate(burst: 100, perSecond: 10),
        maximumPendingOutputBytes: Int = 256 * 1024
    ) {
        self.maximumConcurrentStreams = maximumConcurrentStreams
        self.maximumHeaderListBytes = maximumHeaderListBytes
        self.maximumFields = maximumFields
        self.maximumBodyBytes = maximumBodyBytes
        self.streamWindowBytes = streamWindowBytes
        self.connectionWindowBytes = connectionWindowBytes
        self.maximumContinuations = maximumContinuations
        self.resets = resets
        self.controlFrames = controlFrames
        self.windowUpdates = windowUpdates
        self.emptyDataFrames = emptyDataFrames
        self.maximumPendingOutputBytes = maximumPendingOutputBytes
    }
}

/// A token bucket over a clock that the caller reads.
struct WorkBudget {
    private let rate: HTTP2ServerLimits.Rate
    /// Tokens in billionths, so that a nanosecond's share is a whole number.
    private var tokens: Int64
    private var filledAt: Int64

    private static let scale: Int64 = 1_000_000_000

    init(_ rate: HTTP2ServerLimits.Rate, at nanoseconds: Int64) {
        self.rate = rate
        tokens = Int64(rate.burst) * Self.scale
        filledAt = nanoseconds
    }

    private var capacity: Int64 { Int64(rate.burst) * Self.scale }

    /// Takes one token.
    ///
    /// False when there is none.
    mutating func spend(at nanoseconds: Int64) -> Bool {
        refill(at: nanoseconds)
        guard tokens >= Self.scale else { return false }
        tokens -= Self.scale
        return true
    }

    /// Gives tokens for work that was done for the peer.
    mutating func earn(_ count: Int64) {
        tokens = min(capacity, tokens + count * Self.scale)
    }

    private mutating func refill(at nanoseconds: Int64) {
        // An hour refills any bucket; the bound keeps the product from overflowing.
        let elapsed = min(max(0, nanoseconds - filledAt), 3600 * Self.scale)
        filledAt = nanoseconds
        tokens = min(capacity, tokens + elapsed * Int64(min(rate.perSecond, 1_000_000)))
    }
}

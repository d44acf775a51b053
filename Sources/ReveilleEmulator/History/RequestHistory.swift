/// A request that a history can keep.
protocol HistoricRequest {
    /// The running number, from 1.
    var number: UInt64 { get }
    /// The bytes that the request costs the history, roughly.
    var cost: Int { get }
}

/// The newest requests, as many as the limits allow: a ring in which the running number finds its request.
struct RequestHistory<Request: HistoricRequest> {
    /// What the kept requests may cost together, in bytes.
    static var maximumBytes: Int { 512 * 1024 * 1024 }

    private let maximumRequests: Int
    private var ring: [Request?] = []
    private var head = 0
    private(set) var count = 0
    private var bytes = 0
    /// How many requests are no longer kept.
    private(set) var droppedCount = 0

    init(maximumRequests: Int) {
        self.maximumRequests = max(maximumRequests, 1)
    }

    /// Adds a request; running numbers rise without a gap.
    mutating func append(_ request: Request) {
        while count > 0, count == maximumRequests || bytes + request.cost > Self.maximumBytes {
            dropOldest()
        }
        if count == ring.count { grow() }
        ring[(head + count) % ring.count] = request
        count += 1
        bytes += request.cost
    }

    /// Changes a request, if it is still kept.
    mutating func change(_ number: UInt64, _ change: (inout Request) -> Void) {
        guard let first = oldestNumber, number >= first, number - first < UInt64(count) else {
            return
        }
        let index = (head + Int(number - first)) % ring.count
        guard var request = ring[index] else { return }
        ring[index] = nil
        change(&request)
        ring[index] = request
    }

    /// Up to `limit` requests after a running number, oldest first, of those that `isWanted` chooses.
    func requests(
        after number: UInt64, limit: Int, where isWanted: (Request) -> Bool
    ) -> [Request] {
        var found: [Request] = []
        guard let first = oldestNumber else { return found }
        var offset = number < first ? 0 : Int(clamping: number - first + 1)
        while offset < count, found.count < limit {
            if let request = ring[(head + offset) % ring.count], isWanted(request) {
                found.append(request)
            }
            offset += 1
        }
        return found
    }

    /// Forgets all requests.
    mutating func removeAll() {
        ring.removeAll()
        head = 0
        count = 0
        bytes = 0
        droppedCount = 0
    }

    private var oldestNumber: UInt64? { count > 0 ? ring[head]?.number : nil }

    private mutating func dropOldest() {
        bytes -= ring[head]?.cost ?? 0
        ring[head] = nil
        head = (head + 1) % ring.count
        count -= 1
        droppedCount += 1
    }

    private mutating func grow() {
        let capacity = min(max(ring.count * 2, 64), maximumRequests)
        var grown: [Request?] = []
        grown.reserveCapacity(capacity)
        for offset in 0..<count { grown.append(ring[(head + offset) % ring.count]) }
        grown.append(contentsOf: repeatElement(nil, count: capacity - count))
        ring = grown
        head = 0
    }
}

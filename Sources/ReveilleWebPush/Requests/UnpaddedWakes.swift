/// The wakes that a service found too large when padded: they go once more without.
///
/// Bounded: with one more than it holds the oldest is forgotten, and would only be asked for its size once more.
struct UnpaddedWakes {
    /// The most that are remembered.
    static let maximumCount = 1_024
    /// The length of a request's id.
    private static let idOctets = 36

    private var ids: [[UInt8]] = []
    private var known: Set<[UInt8]> = []
    private var oldest = 0

    /// Remembers the wake of a request.
    mutating func insert(_ id: UnsafePointer<UInt8>) {
        let octets = Self.octets(id)
        guard known.insert(octets).inserted else { return }
        if ids.count < Self.maximumCount {
            ids.append(octets)
        } else {
            known.remove(ids[oldest])
            ids[oldest] = octets
            oldest = (oldest + 1) % Self.maximumCount
        }
    }

    /// Whether the wake of a request goes without padding.
    func contains(_ id: UnsafePointer<UInt8>) -> Bool {
        // Nearly always there is none.
        !known.isEmpty && known.contains(Self.octets(id))
    }

    private static func octets(_ id: UnsafePointer<UInt8>) -> [UInt8] {
        Array(UnsafeBufferPointer(start: id, count: idOctets))
    }
}

internal import ReveilleRuntime

/// Octets that left the process.
package struct Captured: Sendable {
    /// How they left.
    package let way: WayOut
    /// Where on that way: a header's name, a file, a route.
    package let place: String
    package let octets: [UInt8]

    /// Notes octets.
    package init(_ way: WayOut, _ place: String, _ octets: [UInt8]) {
        self.way = way
        self.place = place
        self.octets = octets
    }
}

/// Keeps everything that left the process, by its way.
package final class CaptureLedger: Sendable {
    private let kept = Locked<[Captured]>([])

    /// An empty ledger.
    package init() {}

    /// Notes octets.
    package func note(_ way: WayOut, _ place: String, _ octets: [UInt8]) {
        kept.withLock { $0.append(Captured(way, place, octets)) }
    }

    /// Notes a text.
    package func note(_ way: WayOut, _ place: String, _ text: String) { note(way, place, Array(text.utf8)) }

    /// Everything so far.
    package var captured: [Captured] { kept.withLock { $0 } }

    /// Everything so far, joined by way and place, so that a text split over two captures is found too.
    package var joined: [Captured] {
        var order: [String] = []
        var pieces: [String: Captured] = [:]
        for piece in captured {
            let key = "\(piece.way) \(piece.place)"
            if let before = pieces[key] {
                pieces[key] = Captured(piece.way, piece.place, before.octets + piece.octets)
            } else {
                order.append(key)
                pieces[key] = piece
            }
        }
        return order.compactMap { pieces[$0] }
    }
}

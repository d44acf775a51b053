import ReveilleCore
import ReveilleStorage

/// The wakes that a lane holds, found by tag in constant time and by row through one dictionary.
///
/// A tag is a place and how often the place was used: the tag of a wake that was removed finds nothing, though the place has
/// a new tenant.
struct WakeTable {
    /// Where a held wake stands.
    enum Stage {
        /// In a queue, may be sent.
        case ready
        /// The store is asked whether it may still be sent.
        case verifying
        /// Its lease must be renewed before it may be sent.
        case shortOfLease
        /// Sent, not answered.
        case inFlight
        /// Answered; the store does not know yet.
        case ended
    }

    /// A wake with what the lane knows of it.
    struct Entry {
        var wake: LeasedWake
        var stage: Stage
        /// When the lane took it, in milliseconds of the steady clock.
        let takenAt: Int64
        /// When its lease ends, in milliseconds of the steady clock.
        var leaseUntil: Int64
        /// When the store last said that it may be sent, in milliseconds of the steady clock.
        var verifiedAt: Int64
        /// When its last try began, in milliseconds of the steady clock.
        var startedAt: Int64 = 0
        /// What it probes, if it is a probe of a paused lane or topic.
        var probe: PauseScope?
        /// Leased to this lane once more while the end of its last try was not recorded yet.
        var isLeasedAgain = false

        /// What the table counts it as.
        fileprivate var mark: Mark { Mark(stage: stage, standing: wake.standing) }
    }

    /// What a wake is counted as.
    fileprivate struct Mark {
        let stage: Stage
        let standing: TokenStanding
    }

    private struct Place {
        var generation: UInt32 = 0
        var entry: Entry?

        /// Changes the entry without copying it; nil when there is none.
        mutating func change(_ body: (inout Entry) -> Void) -> (before: Mark, after: Mark)? {
            guard var taken = entry.take() else { return nil }
            let before = taken.mark
            body(&taken)
            let after = taken.mark
            entry = consume taken
            return (before, after)
        }
    }

    private var places: [Place] = []
    private var free: [UInt32] = []
    private var byRow: [WakeRow: UInt64] = [:]

    /// How many wakes are held at each stage.
    private(set) var count = 0
    private(set) var inFlight = 0
    private(set) var ended = 0

    /// Those not sent yet whose tokens are not proven.
    private(set) var unsentUnproven = 0

    /// Held wakes that were not sent yet.
    var unsent: Int { count - inFlight - ended }

    /// The tag of a wake that is held.
    func tag(of row: WakeRow) -> UInt64? { byRow[row] }

    /// The entry with a tag; nil when it was removed.
    subscript(tag: UInt64) -> Entry? {
        let place = Self.place(of: tag)
        guard place < places.count, places[place].generation == UInt32(truncatingIfNeeded: tag >> 32) else {
            return nil
        }
        return places[place].entry
    }

    /// Holds a wake that is not held yet.
    mutating func insert(_ entry: Entry) -> UInt64 {
        precondition(byRow[entry.wake.wake] == nil, "a lane holds a wake once")
        let place: UInt32
        if let reused = free.popLast() {
            place = reused
        } else {
            place = UInt32(places.count)
            places.append(Place())
        }
        let tag = UInt64(places[Int(place)].generation) << 32 | UInt64(place)
        places[Int(place)].entry = entry
        byRow[entry.wake.wake] = tag
        count += 1
        count(entry.mark, by: 1)
        return tag
    }

    /// Removes a wake; its tag finds nothing from now on.
    @discardableResult
    mutating func remove(_ tag: UInt64) -> Entry? {
        guard let entry = self[tag] else { return nil }
        let place = Self.place(of: tag)
        places[place].entry = nil
        places[place].generation &+= 1
        free.append(UInt32(place))
        byRow[entry.wake.wake] = nil
        count -= 1
        count(entry.mark, by: -1)
        return entry
    }

    /// Moves a wake to another stage; false when the tag finds nothing.
    @discardableResult
    mutating func move(_ tag: UInt64, to stage: Stage) -> Bool {
        update(tag) { $0.stage = stage }
    }

    /// Changes a wake in place; false when the tag finds nothing.
    @discardableResult
    mutating func update(_ tag: UInt64, _ change: (inout Entry) -> Void) -> Bool {
        let place = Self.place(of: tag)
        guard place < places.count, places[place].generation == UInt32(truncatingIfNeeded: tag >> 32) else {
            return false
        }
        let marks = places[place].change(change)
        guard let (before, after) = marks else { return false }
        count(before, by: -1)
        count(after, by: 1)
        return true
    }

    /// Calls `body` for each wake that is held, in no order.
    func forEach(_ body: (UInt64, Entry) -> Void) {
        for (index, place) in places.enumerated() {
            if let entry = place.entry { body(UInt64(place.generation) << 32 | UInt64(index), entry) }
        }
    }

    private mutating func count(_ mark: Mark, by amount: Int) {
        switch mark.stage {
        case .ready, .verifying, .shortOfLease: if mark.standing == .unproven { unsentUnproven += amount }
        case .inFlight: inFlight += amount
        case .ended: ended += amount
        }
    }

    private static func place(of tag: UInt64) -> Int { Int(truncatingIfNeeded: tag & 0xFFFF_FFFF) }
}

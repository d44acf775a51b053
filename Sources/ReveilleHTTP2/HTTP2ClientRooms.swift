/// The rooms of a client engine: which are free, which have ended and wait to be taken out.
///
/// Rooms are made as they are first needed, up to the limit, and used again ever after. Everything lies in memory of its own,
/// so that taking and giving back allocates nothing.
final class HTTP2ClientRooms {
    private let limit: Int
    private let keptBodyBytes: Int
    private let rooms: UnsafeMutablePointer<HTTP2ClientStream>
    private let made: UnsafeMutablePointer<Int>
    private let free: IndexQueue
    private let ended: IndexQueue

    init(_ limits: HTTP2ClientLimits) {
        limit = max(limits.maximumStreams, 1)
        keptBodyBytes = limits.keptBodyBytes
        rooms = .allocate(capacity: limit)
        made = .allocate(capacity: 1)
        made.initialize(to: 0)
        free = IndexQueue(capacity: limit)
        ended = IndexQueue(capacity: limit)
    }

    deinit {
        rooms.deinitialize(count: made.pointee)
        rooms.deallocate()
        made.deallocate()
    }

    subscript(index: Int) -> HTTP2ClientStream {
        precondition(index >= 0 && index < made.pointee, "a room that was never made")
        return rooms[index]
    }

    /// How many rooms can be taken.
    var available: Int { limit - made.pointee + free.count }

    /// Takes a room that nobody uses, emptied.
    ///
    /// - Precondition: one is available.
    func take() -> HTTP2ClientStream {
        let index: Int
        if let known = free.popLast() {
            index = known
        } else {
            index = make()
        }
        rooms[index].reset()
        return rooms[index]
    }

    private func make() -> Int {
        let index = made.pointee
        precondition(index < limit, "more rooms than the limit allows")
        (rooms + index).initialize(to: HTTP2ClientStream(index: index, keptBodyCapacity: keptBodyBytes))
        made.pointee = index + 1
        return index
    }

    /// Takes a room back.
    func giveBack(_ stream: HTTP2ClientStream) {
        let phase = stream.state.pointee.phase
        precondition(phase == .filling || phase == .ended, "a room was given back while its stream is open")
        stream.state.pointee.phase = .free
        free.append(stream.index)
    }

    /// Notes that a room's stream has ended.
    func end(_ stream: HTTP2ClientStream) {
        stream.state.pointee.phase = .ended
        ended.append(stream.index)
    }

    /// Takes the oldest ended stream out.
    func takeEnded() -> HTTP2ClientStream? {
        ended.popFirst().map { rooms[$0] }
    }

    /// Calls `body` with each open stream.
    func forEachOpen(_ body: (HTTP2ClientStream) -> Void) {
        for index in 0..<made.pointee where rooms[index].state.pointee.phase == .open { body(rooms[index]) }
    }
}

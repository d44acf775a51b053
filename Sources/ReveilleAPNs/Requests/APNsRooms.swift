/// The rooms of a connection by the numbers of its streams' rooms.
///
/// Made as they are first needed; looking one up neither checks for exclusive access nor copies.
struct APNsRooms: ~Copyable {
    private let rooms: UnsafeMutablePointer<APNsRoom>
    private let made: UnsafeMutablePointer<Int>
    private let capacity: Int

    /// Room numbers run below `capacity`.
    init(capacity: Int) {
        self.capacity = max(capacity, 1)
        rooms = .allocate(capacity: self.capacity)
        made = .allocate(capacity: 1)
        made.initialize(to: 0)
    }

    deinit {
        rooms.deinitialize(count: made.pointee)
        rooms.deallocate()
        made.deallocate()
    }

    /// The room with a number.
    subscript(index: Int) -> APNsRoom {
        precondition(index >= 0 && index < capacity, "a stream's room beyond the limit")
        if index >= made.pointee { makeRooms(through: index) }
        return rooms[index]
    }

    private func makeRooms(through index: Int) {
        for next in made.pointee...index { (rooms + next).initialize(to: APNsRoom()) }
        made.pointee = index + 1
    }
}

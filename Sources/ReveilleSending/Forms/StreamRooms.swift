/// What a connection keeps for each of its streams, by the numbers of the streams' rooms.
///
/// Made as it is first needed; looking one up neither checks for exclusive access nor copies.
package struct StreamRooms<Room: AnyObject>: ~Copyable {
    @usableFromInline let rooms: UnsafeMutablePointer<Room>
    @usableFromInline let made: UnsafeMutablePointer<Int>
    @usableFromInline let capacity: Int
    private let make: () -> Room

    /// Room numbers run below `capacity`.
    package init(capacity: Int, make: @escaping () -> Room) {
        self.capacity = max(capacity, 1)
        self.make = make
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
    @inlinable
    package subscript(index: Int) -> Room {
        precondition(index >= 0 && index < capacity, "a stream's room beyond the limit")
        if index >= made.pointee { makeRooms(through: index) }
        return rooms[index]
    }

    @usableFromInline
    func makeRooms(through index: Int) {
        for next in made.pointee...index { (rooms + next).initialize(to: make()) }
        made.pointee = index + 1
    }
}

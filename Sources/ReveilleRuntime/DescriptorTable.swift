internal import CLinux

/// The descriptors that an event loop watches.
///
/// Each registration has a slot and the slot's generation, and the kernel carries both. A registration that ends raises the
/// generation, so an event that the kernel reported before, in the same batch, finds nobody, whoever has the slot or the
/// descriptor's number by then.
struct DescriptorTable {
    private struct Slot {
        var generation: UInt32 = 0
        var entry: Entry?
    }

    private struct Entry {
        let descriptor: Int32
        let handler: any DescriptorHandler
        var interest: Interest
    }

    /// Where a registration stands.
    struct Position: Hashable {
        let index: UInt32
        let generation: UInt32

        var eventData: UInt64 { UInt64(generation) << 32 | UInt64(index) }

        init(index: UInt32, generation: UInt32) {
            self.index = index
            self.generation = generation
        }

        init(eventData: UInt64) {
            index = UInt32(truncatingIfNeeded: eventData)
            generation = UInt32(truncatingIfNeeded: eventData >> 32)
        }
    }

    private let epoll: Int32
    private var slots: [Slot] = []
    private var free: [UInt32] = []

    init(epoll: Int32) {
        self.epoll = epoll
    }

    /// How many registrations there are.
    var count: Int { slots.count - free.count }

    mutating func add(
        _ descriptor: Int32, _ interest: Interest, _ handler: any DescriptorHandler
    ) throws(SystemError) -> Position {
        let index = free.last ?? UInt32(slots.count)
        if Int(index) == slots.count {
            slots.append(Slot())
            free.append(index)
        }
        let position = Position(index: index, generation: slots[Int(index)].generation)
        if !interest.isEmpty {
            try SystemError.check(
                reveille_linux_epoll_add(
                    epoll, descriptor, interest.epollEvents, position.eventData), "epoll_ctl")
        }
        free.removeLast()
        slots[Int(index)].entry = Entry(
            descriptor: descriptor, handler: handler, interest: interest)
        return position
    }

    mutating func modify(_ position: Position, _ interest: Interest) throws(SystemError) {
        guard let entry = entry(at: position), entry.interest != interest else { return }
        let result =
            if entry.interest.isEmpty {
                reveille_linux_epoll_add(
                    epoll, entry.descriptor, interest.epollEvents, position.eventData)
            } else if interest.isEmpty {
                reveille_linux_epoll_remove(epoll, entry.descriptor)
            } else {
                reveille_linux_epoll_modify(
                    epoll, entry.descriptor, interest.epollEvents, position.eventData)
            }
        try SystemError.check(result, "epoll_ctl")
        slots[Int(position.index)].entry?.interest = interest
    }

    /// Ends a registration and moves its handler out: what goes with the handler may use the loop, which must not happen while the
    /// table is changed.
    mutating func remove(_ position: Position) -> (any DescriptorHandler)? {
        guard let entry = entry(at: position) else { return nil }
        // A descriptor that was closed before has left the kernel's set by itself, so a failure here says nothing.
        if !entry.interest.isEmpty { _ = reveille_linux_epoll_remove(epoll, entry.descriptor) }
        slots[Int(position.index)].entry = nil
        slots[Int(position.index)].generation &+= 1
        free.append(position.index)
        return entry.handler
    }

    func isCurrent(_ position: Position) -> Bool {
        entry(at: position) != nil
    }

    /// Whom to call for an event, and with what; nil for an event that came too late.
    func recipient(
        of event: reveille_linux_event
    ) -> (handler: any DescriptorHandler, readiness: Readiness)? {
        guard let entry = entry(at: Position(eventData: event.data)) else { return nil }
        let readiness = Readiness(epollEvents: event.events, within: entry.interest)
        return readiness.isEmpty ? nil : (entry.handler, readiness)
    }

    private func entry(at position: Position) -> Entry? {
        guard Int(position.index) < slots.count else { return nil }
        let slot = slots[Int(position.index)]
        return slot.generation == position.generation ? slot.entry : nil
    }
}

/// A descriptor's place in an event loop; used on the loop's thread only.
///
/// The loop keeps the handler alive until ``cancel()``. Cancel before the descriptor is closed.
package final class DescriptorRegistration {
    private let loop: EventLoop
    private let position: DescriptorTable.Position

    init(loop: EventLoop, position: DescriptorTable.Position) {
        self.loop = loop
        self.position = position
    }

    /// Whether the registration still stands.
    package var isActive: Bool { loop.isRegistered(position) }

    /// Changes what the handler hears.
    ///
    /// With an empty interest it hears nothing at all, neither hang-up nor error.
    ///
    /// - Throws: `SystemError` when the kernel refuses. After ``cancel()`` the call does nothing.
    package func modify(_ interest: Interest) throws(SystemError) {
        try loop.modify(position, interest)
    }

    /// Ends the registration: the handler is not called again, not even for an event that is already reported, and is released.
    package func cancel() {
        loop.deregister(position)
    }
}

internal import CLinux

/// What a handler wants to hear about its descriptor.
///
/// The set's operations that a busy connection uses are spelled out: the standard library's forms are generic, and from another
/// module they go through witness tables, and allocate.
@frozen
package struct Interest: OptionSet, Sendable {
    package let rawValue: UInt8

    @inlinable
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// There is something to read, or the peer has ended its side.
    @inlinable package static var readable: Interest { Interest(rawValue: 1) }
    /// There is room to write.
    @inlinable package static var writable: Interest { Interest(rawValue: 2) }

    /// A set of these; the empty one costs nothing.
    @inlinable
    package init(arrayLiteral interests: Interest...) {
        self.init(rawValue: interests.reduce(0) { $0 | $1.rawValue })
    }

    /// Whether all of `other` is in the set.
    @inlinable
    package func contains(_ other: Interest) -> Bool {
        rawValue & other.rawValue == other.rawValue
    }

    /// Adds what is in `other`.
    @inlinable
    package mutating func insert(_ other: Interest) {
        self = Interest(rawValue: rawValue | other.rawValue)
    }

    /// Takes away what is in `other`.
    @inlinable
    package mutating func remove(_ other: Interest) {
        self = Interest(rawValue: rawValue & ~other.rawValue)
    }

    /// Whether nothing is in the set.
    @inlinable
    package var isEmpty: Bool { rawValue == 0 }

    var epollEvents: UInt32 {
        var events: UInt32 = 0
        if contains(.readable) {
            events |= UInt32(REVEILLE_LINUX_EPOLL_IN) | UInt32(REVEILLE_LINUX_EPOLL_READ_HANGUP)
        }
        if contains(.writable) { events |= UInt32(REVEILLE_LINUX_EPOLL_OUT) }
        return events
    }
}

/// What is the case at a descriptor; its operations are spelled out for the same reason as those of ``Interest``.
@frozen
package struct Readiness: OptionSet, Sendable {
    package let rawValue: UInt8

    @inlinable
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// A read will not wait: bytes, the end, or an error.
    @inlinable package static var readable: Readiness { Readiness(rawValue: 1) }
    /// A write will not wait.
    @inlinable package static var writable: Readiness { Readiness(rawValue: 2) }
    /// Both directions are closed; told again each turn until the registration ends.
    @inlinable package static var hangup: Readiness { Readiness(rawValue: 4) }
    /// The descriptor has a pending error; told again each turn until the registration ends.
    @inlinable package static var error: Readiness { Readiness(rawValue: 8) }

    /// A set of these; the empty one costs nothing.
    @inlinable
    package init(arrayLiteral conditions: Readiness...) {
        self.init(rawValue: conditions.reduce(0) { $0 | $1.rawValue })
    }

    /// Whether all of `other` is in the set.
    @inlinable
    package func contains(_ other: Readiness) -> Bool {
        rawValue & other.rawValue == other.rawValue
    }

    /// Adds what is in `other`.
    @inlinable
    package mutating func insert(_ other: Readiness) {
        self = Readiness(rawValue: rawValue | other.rawValue)
    }

    /// Takes away what is in `other`.
    @inlinable
    package mutating func remove(_ other: Readiness) {
        self = Readiness(rawValue: rawValue & ~other.rawValue)
    }

    /// Whether nothing is in the set.
    @inlinable
    package var isEmpty: Bool { rawValue == 0 }

    /// Translates the kernel's bits and keeps what `interest` covers; hang-up and error are always kept.
    init(epollEvents events: UInt32, within interest: Interest) {
        var readiness: Readiness = []
        let readable = UInt32(REVEILLE_LINUX_EPOLL_IN) | UInt32(REVEILLE_LINUX_EPOLL_READ_HANGUP)
        if events & readable != 0, interest.contains(.readable) { readiness.insert(.readable) }
        if events & UInt32(REVEILLE_LINUX_EPOLL_OUT) != 0, interest.contains(.writable) {
            readiness.insert(.writable)
        }
        if events & UInt32(REVEILLE_LINUX_EPOLL_HANGUP) != 0 { readiness.insert(.hangup) }
        if events & UInt32(REVEILLE_LINUX_EPOLL_ERROR) != 0 { readiness.insert(.error) }
        self = readiness
    }
}

/// What an event loop calls when a descriptor is ready.
package protocol DescriptorHandler: AnyObject {
    /// Called on the loop's thread. Level-triggered: what is not dealt with is told again in the next turn.
    func descriptorReady(_ readiness: Readiness)
}

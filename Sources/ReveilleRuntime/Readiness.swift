internal import CLinux

/// What a handler wants to hear about its descriptor.
package struct Interest: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// There is something to read, or the peer has ended its side.
    package static let readable = Interest(rawValue: 1)
    /// There is room to write.
    package static let writable = Interest(rawValue: 2)

    var epollEvents: UInt32 {
        var events: UInt32 = 0
        if contains(.readable) {
            events |= UInt32(REVEILLE_LINUX_EPOLL_IN) | UInt32(REVEILLE_LINUX_EPOLL_READ_HANGUP)
        }
        if contains(.writable) { events |= UInt32(REVEILLE_LINUX_EPOLL_OUT) }
        return events
    }
}

/// What is the case at a descriptor.
package struct Readiness: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// A read will not wait: bytes, the end, or an error.
    package static let readable = Readiness(rawValue: 1)
    /// A write will not wait.
    package static let writable = Readiness(rawValue: 2)
    /// Both directions are closed; told again each turn until the registration ends.
    package static let hangup = Readiness(rawValue: 4)
    /// The descriptor has a pending error; told again each turn until the registration ends.
    package static let error = Readiness(rawValue: 8)

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

/// What a peer said.
package enum WebSocketEvent: Sendable, Equatable {
    /// A whole text, which is UTF-8.
    case text(String)
    /// A whole binary message.
    case binary([UInt8])
    /// To be answered with a pong of the same octets (RFC 6455, section 5.5.2).
    case ping([UInt8])
    /// An answer to a ping, or nothing of importance.
    case pong([UInt8])
    /// The peer ends the connection; without a code it is 1005, which never stands on the wire.
    case close(code: UInt16, reason: String)
}

/// Which side of a connection reads or writes: only a client masks (section 5.1).
package enum WebSocketRole: Sendable {
    case client
    case server
}

/// Why a connection must be failed (section 7.1.7), with the code that says so.
package struct WebSocketFailure: Error, Sendable, Equatable {
    /// The close code to send.
    package let closeCode: UInt16

    /// The peer broke the protocol.
    package static let protocolError = WebSocketFailure(closeCode: 1002)
    /// A text that is not UTF-8.
    package static let badText = WebSocketFailure(closeCode: 1007)
    /// A message, a frame or a run of fragments above its limit.
    package static let tooLarge = WebSocketFailure(closeCode: 1009)
}

/// What a peer may send; each is checked on the header, before anything is kept.
package struct WebSocketLimits: Sendable {
    /// A message, all its fragments together, in octets.
    package var maximumMessageBytes: Int
    /// The fragments of a message.
    package var maximumFragments: Int

    /// What a client of a phone or a browser needs at most.
    package init(maximumMessageBytes: Int = 64 * 1024, maximumFragments: Int = 1000) {
        self.maximumMessageBytes = maximumMessageBytes
        self.maximumFragments = maximumFragments
    }
}

/// Close codes (section 7.4).
package enum WebSocketCloseCode {
    /// No code was given; never on the wire.
    package static let absent: UInt16 = 1005

    /// Whether a code may stand in a frame.
    package static func isAllowed(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}

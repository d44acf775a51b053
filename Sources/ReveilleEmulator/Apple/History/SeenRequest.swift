internal import ReveilleBytes
package import ReveilleHTTP2
package import ReveilleRuntime

/// A request exactly as Apple saw it, and what became of it.
package struct SeenRequest: Sendable, HistoricRequest {
    /// What the sender got.
    package enum Answer: Sendable, Equatable {
        /// Nothing yet.
        case none
        /// A response.
        case response(status: Int, reason: String?)
        /// RST_STREAM by the emulator.
        case reset(HTTP2ErrorCode)
        /// Nothing: a GOAWAY said that the stream was not processed.
        case uncovered
        /// Nothing: the sender reset the stream first.
        case cancelled
        /// Nothing: the connection ended first.
        case connectionLost
    }

    /// The running number of the request, from 1.
    package let number: UInt64
    /// The environment that was asked.
    package let environment: AppleEnvironment
    /// The running number of the connection, from 1.
    package let connection: Int
    /// The HTTP/2 stream.
    package let stream: Int32
    /// When the request was complete.
    package let receivedAt: WallInstant
    /// The header list as decoded, pseudo-header fields first.
    package let head: HTTP2RequestHead
    /// The body, byte by byte.
    package let body: [UInt8]
    /// The token in the path, in lower case; nil when there is none.
    package let token: String?
    /// The `apns-id` of the answer.
    package let apnsID: String
    /// What the request asked for; nil when it broke a rule of the header section.
    package internal(set) var push: ApplePush?
    /// Whether Apple took the push.
    package internal(set) var isAccepted: Bool
    /// Which rule the request broke.
    package internal(set) var refusal: AppleRefusal?
    /// The fault that struck the request.
    package let fault: String?
    /// What the sender got.
    package internal(set) var answer: Answer

    /// The header list in the order of the wire.
    package var headers: [(name: String, value: String)] {
        var headers = [
            (name: ":method", value: head.method), (name: ":scheme", value: head.scheme),
            (name: ":authority", value: head.authority), (name: ":path", value: head.path),
        ]
        for index in head.fields.indices {
            headers.append(
                (name: head.fields.name(at: index), value: head.fields.value(at: index)))
        }
        return headers
    }

    /// The bytes that the request costs the history, roughly.
    var cost: Int { head.fields.listSize + head.path.utf8.count + body.count + 256 }
}

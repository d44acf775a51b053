import ReveilleHTTP1
import ReveilleRuntime
import ReveilleTLS
import ReveilleTelemetry

/// What all connections of a server share.
final class ServerContext: Sendable {
    let limits: HTTPServerLimits
    let tls: TLSContext?
    let handler: any HTTPHandler
    let errorResponse: HTTPServer.ErrorResponse
    let wallClock: any WallClock
    let log: Log
    let counters = HTTPServerCounters()
    /// The bodies of answers that clients have not taken yet, over all HTTP/2 connections.
    let unreadAnswerBytes = Locked(0)

    init(
        limits: HTTPServerLimits, tls: TLSContext?, handler: any HTTPHandler,
        errorResponse: @escaping HTTPServer.ErrorResponse, wallClock: any WallClock, log: Log
    ) {
        self.limits = limits
        self.tls = tls
        self.handler = handler
        self.errorResponse = errorResponse
        self.wallClock = wallClock
        self.log = log
    }
}

/// The value of the Date field, made anew once a second.
struct DateField {
    private var second = Int64.min
    private var bytes: [UInt8] = []

    mutating func bytes(at instant: WallInstant) -> [UInt8] {
        if instant.seconds != second {
            second = instant.seconds
            bytes = HTTPDate.format(secondsSince1970: second)
        }
        return bytes
    }
}

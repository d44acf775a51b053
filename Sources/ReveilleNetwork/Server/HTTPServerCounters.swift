internal import Synchronization

/// What a server has counted since it started.
package struct HTTPServerCounts: Sendable, Equatable {
    /// Connections that are open now.
    package var openConnections = 0
    /// Connections that were accepted.
    package var acceptedConnections = 0
    /// Connections that were refused because there were too many.
    package var refusedConnections = 0
    /// Requests that reached the handler.
    package var requests = 0
    /// Requests that a reader refused.
    package var malformedRequests = 0
    /// Requests that were not complete in time.
    package var timedOutRequests = 0
    /// Connections that were ended because the client did not read or caused too much work.
    package var abusiveConnections = 0
}

/// A number that every loop may change.
struct EventCount: ~Copyable, Sendable {
    private let number = Atomic(0)

    /// The number now.
    var value: Int { number.load(ordering: .relaxed) }

    /// Counts one more; returns the new number.
    @discardableResult
    func increment() -> Int { number.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Counts one less.
    func decrement() { number.wrappingSubtract(1, ordering: .relaxed) }
}

/// Counters that every loop adds to.
final class HTTPServerCounters: Sendable {
    let openConnections = EventCount()
    let acceptedConnections = EventCount()
    let refusedConnections = EventCount()
    let requests = EventCount()
    let malformedRequests = EventCount()
    let timedOutRequests = EventCount()
    let abusiveConnections = EventCount()

    var counts: HTTPServerCounts {
        HTTPServerCounts(
            openConnections: openConnections.value,
            acceptedConnections: acceptedConnections.value,
            refusedConnections: refusedConnections.value, requests: requests.value,
            malformedRequests: malformedRequests.value, timedOutRequests: timedOutRequests.value,
            abusiveConnections: abusiveConnections.value)
    }
}

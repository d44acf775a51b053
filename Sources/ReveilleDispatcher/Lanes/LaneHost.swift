/// What a lane's driver needs of the world around it: an event loop in the process, a hand in a test.
package protocol LaneHost: AnyObject {
    /// A reading of both clocks.
    func time() -> LaneTime
    /// A reading of both clocks that is not older than this call, which ``time()`` shows from now on.
    func refreshedTime() -> LaneTime
    /// Calls ``LaneDriver/attend()`` soon, at the end of the loop's turn.
    func attendSoon()
    /// Calls ``LaneDriver/attend()`` at a time of the steady clock; nil never. The last call counts.
    func attend(at milliseconds: Int64?)
    /// Makes a call of the store, and brings the answer to ``LaneDriver/handle(_:)`` or ``LaneDriver/fail(_:_:)``.
    func perform(_ command: LaneCommand)
    /// The wall clock jumped: the store must plan anew.
    func clockDidJump()
}

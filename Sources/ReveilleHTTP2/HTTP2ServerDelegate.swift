/// Hears what a client does.
///
/// Calls come only while `receive` or `takeOutput` runs, after the library has returned, so that a delegate may
/// answer at once. For each stream: `didBegin`, then at most one head, pieces of the body, one end or fault, and one
/// close.
package protocol HTTP2ServerDelegate: AnyObject {
    /// A request has begun to arrive.
    func streamDidBegin(_ stream: Int32)
    /// The header list is complete and legal.
    func stream(_ stream: Int32, didReceive head: HTTP2RequestHead)
    /// A piece of the body, lent for the time of the call.
    func stream(_ stream: Int32, didReceiveBody bytes: UnsafeRawBufferPointer)
    /// The request is complete.
    func streamDidEnd(_ stream: Int32)
    /// The request breaks a limit: answer it, or reset the stream. No end will follow.
    func stream(_ stream: Int32, didBreak limit: HTTP2RequestFault)
    /// The stream is over: answered completely (NO_ERROR), or reset by either side.
    func stream(_ stream: Int32, didClose code: HTTP2ErrorCode)
}

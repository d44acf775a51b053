internal import CNghttp2

/// What a session of the library is made from, and what both kinds of session share of it.
///
/// The library copies both, so that they are freed when the session is made.
struct HTTP2SessionSetup: ~Copyable {
    /// The functions that the library calls.
    let callbacks: OpaquePointer
    private let option: OpaquePointer

    /// Nothing set but what holds for both sides: closed streams are forgotten, and CONTINUATION frames are bounded.
    init(maximumContinuations: Int) throws(HTTP2Error) {
        var callbacks: OpaquePointer?
        var option: OpaquePointer?
        var result = nghttp2_session_callbacks_new(&callbacks)
        if result == 0 { result = nghttp2_option_new(&option) }
        guard result == 0, let callbacks, let option else {
            nghttp2_session_callbacks_del(callbacks)
            throw HTTP2Error(.libraryFailure, libraryCode: result)
        }
        self.callbacks = callbacks
        self.option = option
        nghttp2_option_set_no_closed_streams(option, 1)
        nghttp2_option_set_max_continuations(option, maximumContinuations * HTTP2Library.frameHeaderBytes)
    }

    deinit {
        nghttp2_session_callbacks_del(callbacks)
        nghttp2_option_del(option)
    }

    /// Sets how often the library itself lets streams be reset.
    func setResetRate(burst: UInt64, perSecond: UInt64) {
        nghttp2_option_set_stream_reset_rate_limit(option, burst, perSecond)
    }

    /// Makes the session with one of the library's functions.
    func session(
        _ make: (
            _ session: UnsafeMutablePointer<OpaquePointer?>, _ callbacks: OpaquePointer, _ option: OpaquePointer
        ) -> Int32
    ) throws(HTTP2Error) -> OpaquePointer {
        var session: OpaquePointer?
        let result = make(&session, callbacks, option)
        guard result == 0, let session else { throw HTTP2Error(.libraryFailure, libraryCode: result) }
        return session
    }
}

internal import COpenSSL

/// The thread's OpenSSL error queue.
///
/// OpenSSL appends errors to a queue per thread and reads it back in later calls, so that what one
/// call leaves behind can be taken for the failure of another. Every call here therefore starts
/// with an empty queue and leaves it empty.
enum OpenSSLErrors {
    /// Runs calls that start with an empty queue; the queue is empty again afterwards.
    static func isolated<Result, Failure>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result where Result: ~Copyable {
        ERR_clear_error()
        defer { ERR_clear_error() }
        return try body()
    }

    /// Takes the earliest error off the queue and empties it.
    static func drain() -> CryptoError {
        let code = ERR_get_error()
        defer { ERR_clear_error() }
        guard code != 0, let text = ERR_reason_error_string(code) else {
            return CryptoError(.library)
        }
        return CryptoError(.library, opensslReason: String(cString: text))
    }

    /// Stops the process because OpenSSL could not do what only a lack of memory or a broken
    /// installation prevents.
    static func unavailable(_ operation: StaticString) -> Never {
        preconditionFailure("OpenSSL could not \(operation)")
    }
}

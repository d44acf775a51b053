internal import Glibc

/// The two buffers into which all sockets of a thread read, one after the other.
///
/// Sockets lend their contents only for the time of a call, so a thread needs them once, however
/// many sockets it has.
final class SocketScratch {
    /// What the kernel gives.
    let received: UnsafeMutableRawBufferPointer
    /// What TLS decrypts.
    let plaintext: UnsafeMutableRawBufferPointer

    private init() {
        received = .allocate(byteCount: StreamSocketLimits.receiveBytes, alignment: 4096)
        plaintext = .allocate(byteCount: StreamSocketLimits.receiveBytes, alignment: 4096)
    }

    deinit {
        received.deallocate()
        plaintext.deallocate()
    }

    /// The buffers of the calling thread; they go when the thread ends and no socket holds them.
    ///
    /// Not inlined, so that the thread-local is read on the thread that calls.
    @inline(never)
    static func ofThisThread() -> SocketScratch {
        if let known = pthread_getspecific(key) {
            return Unmanaged<SocketScratch>.fromOpaque(known).takeUnretainedValue()
        }
        let made = SocketScratch()
        pthread_setspecific(key, Unmanaged.passRetained(made).toOpaque())
        return made
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let status = pthread_key_create(&key) { value in
            guard let value else { return }
            Unmanaged<SocketScratch>.fromOpaque(value).release()
        }
        precondition(status == 0, "no thread-local storage is left")
        return key
    }()
}

internal import Glibc

/// A value that is reached only while a mutex is held; the project's only lock.
///
/// A pthread mutex and not `Synchronization.Mutex`: the thread sanitizer does not see the latter's futex and reports races
/// that are none. Hold it briefly: never across a call to code that someone else gave, never while resuming a
/// continuation. Compute what must happen inside, and let it happen after.
///
/// `@unchecked Sendable`: the value comes in as `sending` and is touched under the mutex only.
package final class Locked<Value>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let storage: UnsafeMutablePointer<Value>

    /// Guards `value` from now on.
    package init(_ value: consuming sending Value) {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        let status = pthread_mutex_init(mutex, nil)
        precondition(status == 0, "a mutex could not be made")
        storage = .allocate(capacity: 1)
        storage.initialize(to: value)
    }

    deinit {
        storage.deinitialize(count: 1)
        storage.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deinitialize(count: 1)
        mutex.deallocate()
    }

    /// Runs `body` with the value while the mutex is held.
    ///
    /// Not recursive.
    package func withLock<R, E: Error>(
        _ body: (inout sending Value) throws(E) -> sending R
    ) throws(E) -> sending R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&storage.pointee)
    }
}

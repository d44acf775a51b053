internal import CLinux

/// Signals of the process as an asynchronous sequence.
package enum ProcessSignals {
    /// The most signals kept for a reader that is slow; older ones go first, for the newest is what the operator wants.
    private static let maximumWaiting = 16

    /// Takes over `signals` and yields their numbers as they come.
    ///
    /// No signal that arrives after the call returns is lost. A signal belongs to the newest stream that asked for it; when
    /// that stream ends, the default action is back.
    package static func stream(_ signals: [Int32]) -> AsyncStream<Int32> {
        var readEnd: Int32 = -1
        var writeEnd: Int32 = -1
        let made = reveille_linux_pipe_create(&readEnd, &writeEnd, 1)
        precondition(made == 0, "no descriptors for signals")
        _ = reveille_linux_set_nonblocking(writeEnd)
        let pipe = SignalPipe(signals: signals, readEnd: readEnd, writeEnd: writeEnd)
        for signal in signals {
            let status = reveille_linux_signal_route(signal, writeEnd)
            precondition(status == 0, "a signal that cannot be handled")
        }
        return AsyncStream(bufferingPolicy: .bufferingNewest(maximumWaiting)) { continuation in
            continuation.onTermination = { _ in pipe.end() }
            ExecutorThread.startDetached(name: "signals", for: pipe) {
                pipe.forward { continuation.yield($0) }
                continuation.finish()
            }
        }
    }

    /// Ignores `signal` from now on; SIGPIPE, in practice.
    package static func ignore(_ signal: Int32) {
        _ = reveille_linux_signal_ignore(signal)
    }
}

/// The pipe between a signal handler and a stream.
private final class SignalPipe: Sendable {
    private let signals: [Int32]
    private let readEnd: Int32
    private let writeEnd: Int32

    init(signals: [Int32], readEnd: Int32, writeEnd: Int32) {
        self.signals = signals
        self.readEnd = readEnd
        self.writeEnd = writeEnd
    }

    deinit {
        _ = reveille_linux_close(readEnd)
        _ = reveille_linux_close(writeEnd)
    }

    /// Reads signal numbers until a zero says that the stream has ended.
    func forward(_ yield: (Int32) -> Void) {
        var number: UInt8 = 0
        while reveille_linux_read(readEnd, &number, 1) == 1, number != 0 { yield(Int32(number)) }
    }

    func end() {
        for signal in signals { _ = reveille_linux_signal_unroute(signal, writeEnd) }
        var zero: UInt8 = 0
        _ = reveille_linux_write(writeEnd, &zero, 1)
    }
}

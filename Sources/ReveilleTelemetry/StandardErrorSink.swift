internal import Glibc
package import ReveilleRuntime

/// Writes lines to the standard error descriptor, each in one call, so that lines of several threads do not mix.
///
/// When the descriptor cannot take a line it is dropped: a log must not stop the server.
package struct StandardErrorSink: LogSink {
    private let format: LogFormat
    private let clock: any WallClock

    /// A sink in `format`, with the time of `clock` on each line.
    package init(format: LogFormat, clock: any WallClock = SystemWallClock()) {
        self.format = format
        self.clock = clock
    }

    package func write(_ line: LogLine) {
        let bytes = format.render(line, at: clock.now())
        bytes.withUnsafeBytes { buffer in
            guard let start = buffer.baseAddress else { return }
            // A short write or an error loses the rest of this line, and there is nobody to tell.
            _ = Glibc.write(STDERR_FILENO, start, buffer.count)
        }
    }
}

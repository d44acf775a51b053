internal import ReveilleRuntime
package import ReveilleTelemetry

/// Keeps log lines for a test to look at.
package final class MemorySink: LogSink {
    private let kept = Locked<[LogLine]>([])
    private let changes = Signal()

    /// A sink without lines.
    package init() {}

    package func write(_ line: LogLine) {
        kept.withLock { $0.append(line) }
        changes.send()
    }

    /// The lines so far.
    package var lines: [LogLine] { kept.withLock { $0 } }

    /// The lines so far as the server would print them, with a fixed time.
    package var text: String {
        lines.map {
            String(
                decoding: LogFormat.logfmt.render($0, at: WallInstant(milliseconds: 0)),
                as: UTF8.self)
        }.joined()
    }

    /// Waits until a line satisfies `condition`, and returns it.
    package func line(where condition: @escaping @Sendable (LogLine) -> Bool) async throws -> LogLine {
        try await changes.wait { [kept] in
            kept.withLock { lines in lines.first(where: condition) }
        }
    }
}

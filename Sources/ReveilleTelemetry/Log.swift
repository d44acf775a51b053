/// One line for a sink.
package struct LogLine: Sendable {
    /// A value with its name.
    package typealias Field = (key: StaticString, value: LogValue)

    package let level: LogLevel
    /// The part of the program that speaks.
    package let component: StaticString
    package let message: StaticString
    package let fields: [Field]

    /// A line.
    package init(
        level: LogLevel, component: StaticString, message: StaticString, fields: [Field]
    ) {
        self.level = level
        self.component = component
        self.message = message
        self.fields = fields
    }

    /// The value of the first field called `key`.
    package subscript(key: String) -> LogValue? {
        fields.first { $0.key.description == key }?.value
    }
}

/// Where lines go.
package protocol LogSink: Sendable {
    /// Takes one line. Called on any thread; must not wait for long.
    func write(_ line: LogLine)
}

/// The log of one component.
///
/// A line below the level costs one comparison: its fields are not even made.
package struct Log: Sendable {
    /// The least level that is written.
    package let level: LogLevel
    private let sink: any LogSink
    private let component: StaticString

    /// A log that writes to `sink` what is at `level` or above.
    package init(level: LogLevel, sink: any LogSink, component: StaticString) {
        self.level = level
        self.sink = sink
        self.component = component
    }

    /// A log that writes nothing.
    package static let silent = Log(level: .error, sink: NoSink(), component: "")

    /// The same log for another component.
    package func scoped(_ component: StaticString) -> Log {
        Log(level: level, sink: sink, component: component)
    }

    /// Writes at level debug.
    package func debug(
        _ message: StaticString,
        _ fields: @autoclosure () -> KeyValuePairs<StaticString, LogValue> = [:]
    ) {
        write(.debug, message, fields)
    }

    /// Writes at level info.
    package func info(
        _ message: StaticString,
        _ fields: @autoclosure () -> KeyValuePairs<StaticString, LogValue> = [:]
    ) {
        write(.info, message, fields)
    }

    /// Writes at level notice.
    package func notice(
        _ message: StaticString,
        _ fields: @autoclosure () -> KeyValuePairs<StaticString, LogValue> = [:]
    ) {
        write(.notice, message, fields)
    }

    /// Writes at level warning.
    package func warning(
        _ message: StaticString,
        _ fields: @autoclosure () -> KeyValuePairs<StaticString, LogValue> = [:]
    ) {
        write(.warning, message, fields)
    }

    /// Writes at level error.
    package func error(
        _ message: StaticString,
        _ fields: @autoclosure () -> KeyValuePairs<StaticString, LogValue> = [:]
    ) {
        write(.error, message, fields)
    }

    private func write(
        _ level: LogLevel, _ message: StaticString,
        _ fields: () -> KeyValuePairs<StaticString, LogValue>
    ) {
        guard level >= self.level else { return }
        let fields = fields().map { (key: $0.key, value: $0.value) }
        sink.write(
            LogLine(level: level, component: component, message: message, fields: fields))
    }
}

/// Forgets everything.
private struct NoSink: LogSink {
    func write(_ line: LogLine) {}
}

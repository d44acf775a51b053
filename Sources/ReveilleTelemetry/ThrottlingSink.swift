package import ReveilleRuntime

/// A sink that bounds what one kind of line may fill, for many lines are caused by others at will: a client's requests, a
/// server's broken connections.
///
/// A kind is a component, a message and the words of closed enumerations that stand with it. Of each kind so many lines pass in
/// a minute; how many did not is told in a line of its own when the minute is over and something is written.
/// What an operator asked for with the level debug passes whole.
package final class ThrottlingSink: LogSink {
    /// The lines of a kind that pass in a minute.
    package static let linesPerMinute = 10
    /// The kinds that are told apart; lines of further ones count as one kind.
    package static let maximumKinds = 512
    private static let period = Duration.seconds(60)

    private struct Kind: Hashable {
        let component: String
        let message: String
        let words: [String]
    }

    private struct Window {
        let end: MonotonicInstant
        /// The first line, for the sentence about those that were left out.
        let first: LogLine
        var passed = 0
        var suppressed = 0
    }

    private struct State {
        var windows: [Kind: Window] = [:]
        /// When the next window ends.
        var nextEnd: MonotonicInstant?
    }

    private let sink: any LogSink
    private let clock: any MonotonicClock
    private let state = Locked(State())

    /// Bounds what gets to `sink`.
    package init(_ sink: any LogSink, clock: any MonotonicClock) {
        self.sink = sink
        self.clock = clock
    }

    package func write(_ line: LogLine) {
        guard line.level > .debug else { return sink.write(line) }
        let now = clock.now()
        let (summaries, passes) = state.withLock { state in
            (Self.endWindows(&state, at: now), Self.admit(line, to: &state, at: now))
        }
        for summary in summaries { sink.write(summary) }
        if passes { sink.write(line) }
    }

    private static func admit(_ line: LogLine, to state: inout State, at now: MonotonicInstant) -> Bool {
        var kind = kind(of: line)
        if state.windows[kind] == nil, state.windows.count >= maximumKinds {
            kind = Kind(component: "", message: "", words: [])
        }
        var window = state.windows[kind] ?? Window(end: now + period, first: line)
        defer {
            state.windows[kind] = window
            state.nextEnd = min(state.nextEnd ?? window.end, window.end)
        }
        guard window.passed < linesPerMinute else {
            window.suppressed += 1
            return false
        }
        window.passed += 1
        return true
    }

    private static func kind(of line: LogLine) -> Kind {
        Kind(
            component: line.component.description, message: line.message.description,
            words: line.fields.compactMap { field in
                guard case .text(let word) = field.value.content, field.value.isWord else { return nil }
                return word
            })
    }

    /// Forgets the windows that are over; returns what there is to say of them.
    private static func endWindows(_ state: inout State, at now: MonotonicInstant) -> [LogLine] {
        guard let nextEnd = state.nextEnd, nextEnd <= now else { return [] }
        let ended = state.windows.filter { $0.value.end <= now }
        for kind in ended.keys { state.windows[kind] = nil }
        state.nextEnd = state.windows.values.map(\.end).min()
        return ended.values.filter { $0.suppressed > 0 }.sorted { $0.end < $1.end }.map { window in
            LogLine(
                level: window.first.level, component: window.first.component, message: window.first.message,
                fields: window.first.fields.filter(\.value.isWord)
                    + [(key: "suppressed", value: .integer(window.suppressed))])
        }
    }
}

/// How much a line of the log matters to the operator.
package enum LogLevel: String, Sendable, CaseIterable, Comparable {
    /// For developers: each step.
    case debug
    /// What normal operation does, seldom enough to be read.
    case info
    /// Normal, but worth noticing: start, stop, a changed setting.
    case notice
    /// Something is wrong and was dealt with.
    case warning
    /// Something is wrong and needs the operator.
    case error

    private var severity: Int {
        switch self {
        case .debug: 0
        case .info: 1
        case .notice: 2
        case .warning: 3
        case .error: 4
        }
    }

    package static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.severity < right.severity
    }
}

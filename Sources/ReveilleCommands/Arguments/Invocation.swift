/// The arguments of one call, matched against a command.
package struct Invocation: Sendable {
    private let values: [String: [String]]
    /// The positional arguments, in the command's order.
    package let operands: [String]

    /// Holds matched arguments.
    package init(values: [String: [String]] = [:], operands: [String] = []) {
        self.values = values
        self.operands = operands
    }

    /// The last value of an option, nil when it was not given.
    package func value(_ name: String) -> String? { values[name]?.last }
    /// All values of a repeatable option.
    package func all(_ name: String) -> [String] { values[name] ?? [] }
    /// True when the option was given.
    package func has(_ name: String) -> Bool { values[name] != nil }

    /// A required option.
    package func required(_ name: String) throws(UsageError) -> String {
        guard let value = value(name) else {
            throw UsageError("\(name) is missing; see --help")
        }
        return value
    }

    /// A whole number within `range`.
    package func integer(
        _ name: String, in range: ClosedRange<Int>, default fallback: Int
    ) throws(UsageError) -> Int {
        guard let text = value(name) else { return fallback }
        guard let number = Int(text), range.contains(number) else {
            throw UsageError(
                "\(name) takes a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}

/// Arguments that make no sense, with a sentence that says what to do.
package struct UsageError: Error, Sendable {
    /// The sentence; names the argument.
    package let message: String

    /// Describes what is wrong.
    package init(_ message: String) { self.message = message }
}

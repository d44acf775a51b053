/// A system call that failed.
package struct SystemError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The errno value, positive.
    package let number: Int32
    /// The call, as its manual page names it.
    package let call: StaticString

    /// The failure of `call` with an errno value.
    package init(_ call: StaticString, number: Int32) {
        self.call = call
        self.number = number
    }

    package static func == (left: SystemError, right: SystemError) -> Bool {
        left.number == right.number && left.call.description == right.call.description
    }

    /// The call and the errno value; never an argument of the call.
    package var description: String { "\(call) failed with errno \(number)" }

    /// Turns the project's C convention (negative means the negated errno) into a thrown error.
    @discardableResult
    package static func check<Result: SignedInteger>(
        _ result: Result, _ call: StaticString
    ) throws(SystemError) -> Result {
        guard result < 0 else { return result }
        throw SystemError(call, number: Int32(clamping: -Int64(result)))
    }
}

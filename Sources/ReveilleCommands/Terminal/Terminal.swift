internal import Glibc
internal import ReveilleRuntime

/// Where a command writes: results to one place, remarks and progress to the other.
package struct Terminal: Sendable {
    private let writeOut: @Sendable (String) -> Void
    private let writeError: @Sendable (String) -> Void
    /// True when a person watches remarks, so that progress may be rewritten in place.
    package let isInteractive: Bool

    /// Writes to the given places.
    package init(
        out: @escaping @Sendable (String) -> Void, error: @escaping @Sendable (String) -> Void,
        isInteractive: Bool = false
    ) {
        writeOut = out
        writeError = error
        self.isInteractive = isInteractive
    }

    /// The process's own standard output and standard error.
    package static var process: Terminal {
        Terminal(
            out: { write(Array($0.utf8), to: STDOUT_FILENO) },
            error: { write(Array($0.utf8), to: STDERR_FILENO) },
            isInteractive: isatty(STDERR_FILENO) == 1)
    }

    /// Writes a line of the result.
    package func print(_ line: String = "") { writeOut(line + "\n") }
    /// Writes a remark for the person at the terminal.
    package func note(_ line: String) { writeError(line + "\n") }
    /// Shows how far a long task is; rewritten in place at a terminal, a line each otherwise.
    package func progress(_ line: String) {
        writeError(isInteractive ? "\r\u{1B}[K" + line : line + "\n")
    }
    /// Ends a line of progress.
    package func endProgress() {
        if isInteractive { writeError("\n") }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var offset = 0
        while offset < bytes.count {
            let written = bytes.withUnsafeBytes { buffer in
                Glibc.write(descriptor, buffer.baseAddress.map { $0 + offset }, bytes.count - offset)
            }
            // A closed pipe ends output; there is nobody to tell.
            guard written > 0 else { return }
            offset += written
        }
    }
}

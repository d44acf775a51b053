internal import Glibc
internal import ReveilleRuntime

/// Where a command writes: results to one place, remarks and progress to the other.
package struct Terminal: Sendable {
    /// What was printed did not reach its place.
    package struct OutputLost: Error, Hashable, Sendable {
        /// The system's word for why.
        package let reason: String

        /// Names the reason.
        package init(reason: String) { self.reason = reason }
    }

    private let writeOut: @Sendable (String) throws(OutputLost) -> Void
    private let writeError: @Sendable (String) -> Void
    private let lost = Locked<OutputLost?>(nil)
    private let showsProgress = Locked(false)
    /// True when a person watches remarks, so that progress may be rewritten in place.
    package let isInteractive: Bool

    /// Writes to the given places.
    package init(
        out: @escaping @Sendable (String) throws(OutputLost) -> Void, error: @escaping @Sendable (String) -> Void,
        isInteractive: Bool = false
    ) {
        writeOut = out
        writeError = error
        self.isInteractive = isInteractive
    }

    /// The process's own standard output and standard error.
    package static var process: Terminal {
        Terminal(
            out: { (text) throws(OutputLost) in try write(text, to: STDOUT_FILENO) },
            // Nobody can be told that remarks cannot be written.
            error: { try? write($0, to: STDERR_FILENO) },
            isInteractive: isatty(STDERR_FILENO) == 1)
    }

    /// Writes a line of the result; that it was lost shows in ``lostOutput``.
    package func print(_ line: String = "") {
        do throws(OutputLost) {
            try writeOut(line + "\n")
        } catch {
            lost.withLock { $0 = $0 ?? error }
        }
    }
    /// The first loss of something printed, nil while everything was written.
    package var lostOutput: OutputLost? { lost.withLock { $0 } }
    /// Writes a remark for the person at the terminal.
    ///
    /// Words of a call may stand in it, so what would steer the terminal is made harmless.
    package func note(_ line: String) { writeError(Self.visible(line) + "\n") }
    /// Shows a person how far a task of more than a second is, rewritten in place.
    ///
    /// Files and other programs get nothing of it.
    package func progress(_ line: String) {
        guard isInteractive else { return }
        showsProgress.withLock { $0 = true }
        writeError("\r\u{1B}[K" + Self.visible(line))
    }
    /// Ends the line of progress, if there is one.
    package func endProgress() {
        let isShown = showsProgress.withLock { shows in
            defer { shows = false }
            return shows
        }
        if isShown { writeError("\n") }
    }

    private static func visible(_ line: String) -> String {
        guard line.unicodeScalars.contains(where: isControl) else { return line }
        return String(String.UnicodeScalarView(line.unicodeScalars.map { isControl($0) ? "\u{FFFD}" : $0 }))
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\t"
    }

    private static func write(_ text: String, to descriptor: Int32) throws(OutputLost) {
        let bytes = Array(text.utf8)
        var offset = 0
        while offset < bytes.count {
            let written = bytes.withUnsafeBytes { buffer in
                Glibc.write(descriptor, buffer.baseAddress.map { $0 + offset }, bytes.count - offset)
            }
            let number = errno
            if written < 0, number == EINTR { continue }
            guard written > 0 else { throw OutputLost(reason: SystemWords.of(number)) }
            offset += written
        }
    }
}

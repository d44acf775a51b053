internal import Glibc
internal import ReveilleRuntime

/// The signals that ask a program in the foreground to finish what it does and end.
enum StopSignals {
    /// SIGTERM and SIGINT, and SIGHUP, which comes when the terminal goes away: each of them stops gracefully.
    ///
    /// Nothing is read anew while the program runs, so a hang-up has no other meaning here. Whoever starts the program with
    /// SIGHUP ignored (`nohup`) wants it to go on, and it does.
    static func stream() -> AsyncStream<Int32> {
        ProcessSignals.stream(isIgnored(SIGHUP) ? [SIGTERM, SIGINT] : [SIGTERM, SIGINT, SIGHUP])
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var present = sigaction()
        guard sigaction(number, nil, &present) == 0 else { return false }
        return unsafeBitCast(present.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}

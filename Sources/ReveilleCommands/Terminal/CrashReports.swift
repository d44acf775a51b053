internal import CLinux
internal import Glibc

/// What a dying server leaves behind: nothing that it knew.
///
/// Swift's crash reports print registers and the memory they point at, and a core file is all memory there is. Either may hold
/// content and keys, and both leave the machine easily.
enum CrashReports {
    /// The variable by which Swift is told about crash reports; an operator who sets it wants them.
    static let variable = "SWIFT_BACKTRACE"

    /// The signals that Swift answers with a report.
    private static let signals = [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP]

    /// Turns off core files and, unless `environment` asks for them, crash reports.
    static func turnOff(environment: [String: String]) {
        _ = reveille_linux_forbid_core_dumps()
        guard environment[variable] == nil else { return }
        for number in signals { signal(number, SIG_DFL) }
    }
}

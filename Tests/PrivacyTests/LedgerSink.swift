import PrivacyAudit
import ReveilleRuntime
import ReveilleTelemetry
import ReveilleTesting

/// Takes the log in both formats, as the server would print it.
final class LedgerSink: LogSink {
    let memory = MemorySink()
    private let ledger: CaptureLedger

    init(_ ledger: CaptureLedger) { self.ledger = ledger }

    func write(_ line: LogLine) {
        let now = WallInstant(milliseconds: 0)
        for format in LogFormat.allCases { ledger.note(.log, format.rawValue, format.render(line, at: now)) }
        memory.write(line)
    }
}

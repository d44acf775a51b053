import ReveilleCore

/// A sender whose connections are the test's hands: it counts how often it was told that tries wait.
final class HandSender: WakeSender {
    let requestDeadlineSeconds: Int64
    private(set) var signals = 0
    private(set) var drains = 0
    /// Pulls at once when it is told, as a connected sender does.
    var whenSignalled: (() -> Void)?

    init(requestDeadlineSeconds: Int64 = 10) {
        self.requestDeadlineSeconds = requestDeadlineSeconds
    }

    func triesAreWaiting() {
        signals += 1
        whenSignalled?()
    }

    func drain(within deadline: Duration) async { drains += 1 }
}

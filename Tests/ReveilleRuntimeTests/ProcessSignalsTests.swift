import Glibc
import ReveilleRuntime
import Testing

@Suite("Signals of the process", .serialized, .timeLimit(.minutes(5)))
struct ProcessSignalsTests {
    @Test("arrive in the stream, none lost that came after the call")
    func arrive() async {
        var signals = ProcessSignals.stream([SIGUSR1, SIGUSR2]).makeAsyncIterator()
        kill(getpid(), SIGUSR1)
        #expect(await signals.next() == SIGUSR1)
        kill(getpid(), SIGUSR2)
        #expect(await signals.next() == SIGUSR2)
    }

    @Test("belong to the newest stream")
    func newestWins() async {
        let older = ProcessSignals.stream([SIGUSR1])
        do {
            var newer = ProcessSignals.stream([SIGUSR1]).makeAsyncIterator()
            kill(getpid(), SIGUSR1)
            #expect(await newer.next() == SIGUSR1)
        }
        withExtendedLifetime(older) {}
    }

    @Test("do again what they did before once the stream has ended")
    func defaultComesBack() async {
        await #expect(processExitsWith: .signal(SIGUSR1)) {
            do {
                var signals = ProcessSignals.stream([SIGUSR1]).makeAsyncIterator()
                kill(getpid(), SIGUSR1)
                _ = await signals.next()
            }
            kill(getpid(), SIGUSR1)
            // The kernel may deliver it a moment later.
            _ = try? await OneShot<Void>().wait()
        }
    }

    @Test("that are ignored do nothing")
    func ignored() async {
        await #expect(processExitsWith: .success) {
            ProcessSignals.ignore(SIGPIPE)
            kill(getpid(), SIGPIPE)
        }
    }
}

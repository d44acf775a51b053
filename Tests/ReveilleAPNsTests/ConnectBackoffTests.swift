import ReveilleAPNs
import ReveilleSending
import Testing

@Suite("Waits between attempts to connect")
struct ConnectBackoffTests {
    @Test("waits between attempts grow with jitter and stay below their ceiling")
    func backoff() {
        let backoff = ConnectBackoff()
        for failures in 1...40 {
            for unit in [0, 0.25, 0.5, 0.999] {
                let delay = backoff.delay(failures: failures, unit: unit)
                #expect(delay >= .milliseconds(250) && delay <= .seconds(60))
            }
        }
        #expect(backoff.delay(failures: 1, unit: 0.999) < .milliseconds(500))
        #expect(backoff.delay(failures: 4, unit: 0.5) == .seconds(2))
        #expect(backoff.delay(failures: 30, unit: 0.5) == .seconds(30))
    }
}

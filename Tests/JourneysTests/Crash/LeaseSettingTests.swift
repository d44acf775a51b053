import ReveilleCommands
import ReveilleDispatcher
import Testing

@Suite("The length of a lease is a setting")
struct LeaseSettingTests {
    private func settings(leaseSeconds: String?) throws -> HomeSettings {
        var variables = ["REVEILLE_DATA": "/tmp/data", "REVEILLE_MASTER_KEY_FILE": "/tmp/master.key"]
        variables["REVEILLE_LEASE_SECONDS"] = leaseSeconds
        return try HomeSettings.read(SettingsSource(environment: variables))
    }

    @Test(
        "leases last as long as it says, and are looked after at least as often as they run out",
        arguments: [(nil, 60_000, Duration.seconds(5)), ("1", 1_000, .seconds(1)), ("7", 7_000, .seconds(5))])
    func options(text: String?, milliseconds: Int64, sweep: Duration) throws {
        let options = DispatcherOptions(try settings(leaseSeconds: text))
        #expect(options.limits.leaseMilliseconds == milliseconds)
        #expect(options.sweepInterval == sweep)
    }

    @Test("a length that no lease may have is a problem that names it", arguments: ["0", "3601", "a minute"])
    func bounds(text: String) {
        do {
            _ = try settings(leaseSeconds: text)
            Issue.record("\(text) was taken")
        } catch let error as SettingsError {
            #expect(error.problems.contains { $0.contains("REVEILLE_LEASE_SECONDS") })
        } catch {
            Issue.record(error)
        }
    }
}

/// When a "gone" is believed, and how many devices a lane may disable on its own.
///
/// A wrong key, topic or environment makes a provider call every device gone; these rules keep such a
/// fault from emptying the registry.
package enum Brake {
    /// An accepted send this long before a "gone" makes it believable.
    package static let evidenceWindowMilliseconds: Int64 = 3_600_000
    /// "Gone" on this many different days disables without other evidence.
    package static let daysThatConfirm = 3
    /// Devices a lane may always disable in a day.
    package static let smallestDailyLimit: Int64 = 2
    /// The share of its devices a lane may disable in a day, in percent.
    package static let dailyLimitPercent: Int64 = 5
    /// A probe goes with a new visible wake at most this often while nothing is accepted.
    package static let probeIntervalMilliseconds: Int64 = 6 * 3_600_000

    /// What to do with a device that the provider calls gone.
    package enum Verdict: Hashable, Sendable {
        case disable
        case quarantine
    }

    /// Judges a "gone" at `nowMilliseconds`; `evidence` already holds it.
    package static func judge(
        lane: LaneFacts, evidence: DeviceEvidence, nowMilliseconds: Int64
    ) -> Verdict {
        let believed =
            acceptedWithinWindow(lane, before: nowMilliseconds)
            || evidence.goneDays.count >= daysThatConfirm
        return believed && lane.disabledToday < dailyLimit(devices: lane.devices)
            ? .disable : .quarantine
    }

    /// How many devices a lane of `devices` may disable in one day without an admin's word.
    package static func dailyLimit(devices: Int64) -> Int64 {
        max(smallestDailyLimit, devices * dailyLimitPercent / 100)
    }

    /// Whether a probe of a quarantined device may go out.
    ///
    /// A lane that used up its day's disablings probes no more after accepted sends: each probe would only be told "gone"
    /// again. With a new visible wake one goes out every six hours at most, whatever the brake.
    ///
    /// - Parameter lastProbe: when a probe of the device was last made due, in milliseconds since 1970.
    package static func mayProbe(
        afterAcceptedSend: Bool, lane: LaneFacts, lastProbe: Int64?, nowMilliseconds: Int64
    ) -> Bool {
        if afterAcceptedSend { return lane.disabledToday < dailyLimit(devices: lane.devices) }
        guard let lastProbe, lastProbe <= nowMilliseconds else { return true }
        return nowMilliseconds - lastProbe >= probeIntervalMilliseconds
    }

    /// The day of a time, counted since 1970 in UTC.
    package static func day(ofMilliseconds milliseconds: Int64) -> Int64 {
        let (day, rest) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
        return rest < 0 ? day - 1 : day
    }

    private static func acceptedWithinWindow(_ lane: LaneFacts, before now: Int64) -> Bool {
        guard let accepted = lane.lastAcceptedMilliseconds else { return false }
        return accepted <= now && now - accepted <= evidenceWindowMilliseconds
    }
}

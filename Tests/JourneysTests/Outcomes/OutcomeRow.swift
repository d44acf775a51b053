import ReveilleCore
import ReveilleEmulator
import Testing

/// One thing that can become of a request to APNs, with everything that must be true afterwards.
///
/// Written down from Apple's page on responses and from what an operator is promised, apart from the tables of the program.
struct OutcomeRow: Sendable, CustomTestStringConvertible {
    let title: String
    /// What went before.
    let given: OutcomeSituation
    /// What the emulated Apple does, and to how many requests in a row.
    let action: AppleFaultAction
    let times: Int
    /// How many requests Apple has seen when everything rests.
    let requests: Int
    /// What passes while a request is under way.
    var meanwhile = OutcomeMeanwhile.nothing
    /// The word by which the last failure is recorded; nil when there is none.
    let word: String?
    /// Its status; 0 when no answer came.
    let status: Int

    // The four columns.
    let wake: WakeColumn
    let due: DueColumn
    let device: DeviceColumn
    let lane: LaneColumn

    var testDescription: String { "\(title), \(given)" }
}

/// What went before the request.
enum OutcomeSituation: Sendable, Hashable {
    /// The device was woken 21 minutes before: the lane has evidence, the provider token may be renewed.
    case proved
    /// The device was woken a minute before: the provider token is too young to be renewed.
    case justProved
    /// Nothing was ever accepted.
    case fresh
    /// Another device of the lane was woken 21 minutes before, this one never.
    case neighbourProved
    /// The device was woken 61 minutes before, and nothing was accepted since.
    case provedLongAgo
    /// As proved, and the lane has disabled two devices today.
    case brakeSpent
    /// Nothing was ever accepted, and the same happened on the two days before.
    case thirdDay
}

/// What passes while a request is under way.
enum OutcomeMeanwhile: Sendable, Hashable {
    case nothing
    /// Time, after each request came.
    case time(seconds: Int64)
    /// The app registers with a new token; then a second.
    case rotation
    /// A second, in which the app registers with the same token once more; then another.
    case registration
    /// The device is removed; then a second.
    case removal
}

/// Where the wake stands.
indirect enum WakeColumn: Sendable, Hashable {
    case accepted, failed, cancelled, expired, gone
    /// Waiting, after so many tries that settled nothing.
    case waiting(Int64)
    case leased
    case held(HoldReason)
    /// Another wake took its place, and that one stands so.
    case superseded(by: WakeColumn)
    /// The same on the lane of the sandbox.
    case inSandbox(WakeColumn)
}

/// When the next try goes out, in seconds from the end of the last one.
enum DueColumn: Sendable, Hashable {
    /// None: the wake is settled.
    case never
    /// By the schedule, with its jitter: from the lower bound up to, but not including, the upper one.
    case between(Double, Double)
    /// As the probe of a paused lane or topic.
    case probe(Int64)
    /// With the next wake that the lane gets accepted.
    case nextAccepted
    /// With a new visible wake.
    case nextVisible
    /// As soon as a connection can be made, tried again after between so many seconds.
    case reconnected(Double, Double)
}

/// How the device's row looks to its owner and to the operator.
enum DeviceColumn: Sendable, Hashable {
    /// Active, and no failure of the row's own is noted.
    case untouched
    /// Active, woken since the post.
    case woken
    /// Active, woken since the post, and its row names the sandbox from now on.
    case wokenInSandbox
    /// Active, the failure noted.
    case noted
    case quarantined
    case needsRegistration
    case removed
    /// Something else, for the report of a failed expectation.
    case other(String)
}

/// How the lane is, to the process and to the operator.
enum LaneColumn: Sendable, Hashable {
    case working
    /// One topic of it is paused until an operator acts.
    case topicPaused
    /// It is paused until an operator acts.
    case paused
    /// The provider wants nothing on it for a time.
    case paced
    /// There is no connection, and none is tried for a moment.
    case unreachable
    /// Something else, for the report of a failed expectation.
    case other(String)
}

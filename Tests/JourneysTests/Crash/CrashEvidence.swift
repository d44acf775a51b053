import ReveilleCore

/// What is known after a series of crashes: what was promised, what the store says, what Apple saw and what devices show.
struct CrashEvidence: Sendable {
    /// One delivery of a 202 for one device of its profile.
    struct Promise: Hashable, Sendable {
        let delivery: DeliveryRow
        let device: DeviceRow
        /// The idempotency key of the post.
        let post: String
        /// The round in which it was answered.
        let round: Int
    }

    /// A wake as the store has it at the end.
    struct Wake: Sendable {
        let row: WakeRow
        let device: DeviceRow
        var state: WakeState
        /// What it stands for, rising; the newest is the one it names.
        var deliveries: [DeliveryRow]
    }

    /// A request as Apple saw it.
    struct Push: Sendable {
        /// The place in the order of arrival.
        let number: Int64
        let apnsID: String
        /// The wake that the id belongs to; nil when it belongs to none of this store.
        let wake: WakeRow?
        /// The device whose token was asked for.
        let device: DeviceRow?
        var collapseID: String?
        /// Everything that a repeat must repeat: header fields in their order, and the body.
        var request: String
        /// The delivery that the payload names.
        let named: DeliveryRow?
        let isAlert: Bool
        var isAccepted: Bool
    }

    /// A moment at which all wakes up to a row were settled.
    struct Barrier: Sendable {
        let round: Int
        /// The last request that Apple had seen.
        let number: Int64
        let wake: WakeRow
    }

    var promises: [Promise] = []
    var wakes: [Wake] = []
    var pushes: [Push] = []
    var barriers: [Barrier] = []
    /// The deliveries on each device's screen at the end.
    var screens: [DeviceRow: [DeliveryRow]] = [:]
    /// Notifications in the store, and those that a 202 named.
    var storedNotifications = 0
    var promisedNotifications = 0
    /// Posts that were answered with another notification when they were repeated.
    var differentAnswers: [String] = []
    /// What SQLite says of the file; empty when it is whole.
    var damage: [String] = []

    /// The rounds in which the deliveries of a finding were promised.
    func rounds(of finding: CrashFinding) -> [Int] {
        func rounds(_ deliveries: [DeliveryRow]) -> [Int] {
            Set(promises.filter { deliveries.contains($0.delivery) }.map(\.round)).sorted()
        }
        func rounds(_ wake: WakeRow?) -> [Int] {
            rounds(wakes.first { $0.row == wake }?.deliveries ?? [])
        }
        switch finding {
        case .lost(let promise), .acceptedUnderSeveralIDs(let promise, _): return [promise.round]
        case .changedRepeat(let id), .otherCollapseID(let id):
            return rounds(pushes.first { $0.apnsID == id }?.wake)
        case .misdirected(let number): return rounds(pushes.first { $0.number == number }?.wake)
        case .shownTwice(let delivery, _): return rounds([delivery])
        case .endedAs(_, let wake), .acceptedWithoutApple(let wake): return rounds(wake)
        case .sentAfterItsEnd(_, _, let round): return [round]
        case .answeredDifferently(let post): return Set(promises.filter { $0.post == post }.map(\.round)).sorted()
        case .notifications, .damaged: return []
        }
    }
}

/// A promise that was broken, or a rule.
enum CrashFinding: Hashable, Sendable {
    /// No wake that Apple accepted named or absorbed the delivery.
    case lost(CrashEvidence.Promise)
    /// Apple accepted the delivery for one device under more than one id.
    case acceptedUnderSeveralIDs(CrashEvidence.Promise, ids: Set<String>)
    /// A repeat was not the same request.
    case changedRepeat(apnsID: String)
    /// A repeat had another collapse id.
    case otherCollapseID(apnsID: String)
    /// A device drew a delivery as two notifications.
    case shownTwice(DeliveryRow, on: DeviceRow)
    /// A wake was left unsettled, or was settled as something that nothing in the test asks for.
    case endedAs(WakeState, WakeRow)
    /// The store calls a wake accepted that Apple never took.
    case acceptedWithoutApple(WakeRow)
    /// A request belongs to no wake, or not to the device of its wake, or does not name the newest delivery.
    case misdirected(number: Int64)
    /// A wake was sent after everything up to it was settled.
    case sentAfterItsEnd(WakeRow, number: Int64, round: Int)
    /// A repeated post was answered with another notification.
    case answeredDifferently(post: String)
    /// The store has more or fewer notifications than were promised.
    case notifications(stored: Int, promised: Int)
    /// The file is damaged.
    case damaged(String)
}

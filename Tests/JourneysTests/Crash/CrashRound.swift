import ReveilleRuntime

/// What happens in one round of the crash test: how Apple behaves, when the server crashes, and how.
struct CrashRound: Sendable {
    /// How Apple answers while the server runs.
    enum Apple: Sendable {
        case answering
        /// After so many requests, every n-th stays unanswered, taken by Apple or not.
        case silent(isTaken: Bool, after: Int, every: Int)
        /// Each answer takes this long.
        case slow(milliseconds: Int)
        /// No connection comes about, so that wakes wait and merge.
        case unreachable
    }

    /// When the server is killed.
    enum Moment: Sendable {
        /// So long after its process was made, whether it listens by then or not.
        case starting(milliseconds: Int)
        /// When so many posts of the round were answered.
        case answered(Int)
        /// When Apple has received so many requests that it did not answer.
        case held(Int)
    }

    /// A process that is killed.
    struct Kill: Sendable {
        let apple: Apple
        let moment: Moment
        /// The time from the moment to the kill.
        let pauseMilliseconds: Int
        let leaseSeconds: Int
    }

    /// A process that is stopped past its lease while another takes over.
    struct Stop: Sendable {
        /// When the answers that Apple owes the stopped process come.
        enum Release: CaseIterable, Sendable {
            case whileStopped
            /// While the other process has sent the same wakes and waits for its own answers.
            case whileOtherSends
            case afterwards
            case never
        }

        /// What Apple owes the stopped process.
        enum Debt: CaseIterable, Sendable {
            /// The answer to a push that it took, or takes when it answers.
            case taken, untaken
            /// A word that would fail the wake, or put it off, if it still were the stopped process's to settle.
            case refusal, delay
        }

        let debt: Debt
        /// Whether the other process runs already when the first is stopped.
        let bothRun: Bool
        let release: Release
        /// Whether the continued process is asked to end, or killed.
        let isDrained: Bool
    }

    enum Manner: Sendable {
        /// SIGKILL.
        case kill(Kill)
        /// SIGSTOP, for longer than the lease.
        case stop(Stop)
    }

    let number: Int
    let manner: Manner

    /// Streams on each connection of a process that is to be stopped: few, so that it holds more wakes than it can send.
    static let streamsBeforeStop = 4

    /// The rounds of a seed, in blocks of ten of which each has its share of every kind.
    static func plan(_ count: Int, random: any RandomSource) -> [CrashRound] {
        var kinds: [Kind] = []
        while kinds.count < count { kinds += Kind.block(random) }
        return kinds.prefix(count).enumerated().map { CrashRound(number: $0 + 1, manner: $1.manner(random)) }
    }

    private enum Kind: CaseIterable {
        case stop, silent, patchy, answering, slow, unreachable, starting

        static func block(_ random: any RandomSource) -> [Kind] {
            var block: [Kind] = [.stop, .stop, .silent, .silent, .silent, .patchy, .patchy, .answering, .unreachable]
            block.append(random.uniform(0..<2) == 0 ? .slow : .starting)
            for index in block.indices { block.swapAt(index, random.uniform(index..<block.count)) }
            return block
        }

        func manner(_ random: any RandomSource) -> Manner {
            func pick(_ range: Range<Int>) -> Int { random.uniform(range) }
            func coin() -> Bool { pick(0..<2) == 0 }
            func kill(_ apple: Apple, _ moment: Moment) -> Manner {
                .kill(
                    Kill(
                        apple: apple, moment: moment, pauseMilliseconds: coin() ? 0 : pick(1..<30),
                        leaseSeconds: coin() ? 1 : 60))
            }
            switch self {
            case .stop:
                let release = Stop.Release.allCases[pick(0..<4)]
                // Of all answers a refusal does the most harm where it is not the process's own any more.
                let debt = release == .whileOtherSends ? .refusal : Stop.Debt.allCases[pick(0..<4)]
                // A drain that waits for answers that never come only costs time.
                return .stop(
                    Stop(
                        debt: debt, bothRun: coin(), release: release,
                        isDrained: release != .never && coin()))
            case .silent:
                let after = pick(0..<24)
                // Until Apple has answered the first request of a connection, no second one comes.
                return kill(
                    .silent(isTaken: coin(), after: after, every: 1), .held(after < 8 ? 1 : pick(1..<10)))
            case .patchy: return kill(.silent(isTaken: coin(), after: 2, every: pick(2..<4)), .held(pick(1..<4)))
            case .answering: return kill(.answering, .answered(pick(1..<40)))
            case .slow: return kill(.slow(milliseconds: pick(5..<100)), .answered(pick(5..<40)))
            case .unreachable: return kill(.unreachable, .answered(pick(10..<50)))
            case .starting: return kill(.answering, .starting(milliseconds: pick(0..<400)))
            }
        }
    }
}

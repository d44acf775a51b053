internal import ReveilleRuntime

/// Which of the occasions that match a fault it strikes.
package struct FaultTrigger: Sendable, Equatable {
    /// So many matching occasions pass first.
    package var skip: Int
    /// It strikes at most so often; nil for ever.
    package var first: Int?
    /// It strikes every n-th of the occasions that are left: 1 each, 2 the second, the fourth and so on.
    package var every: Int
    /// The probability, from 0 to 1, that it then really strikes.
    package var probability: Double
    /// What the drawing of lots depends on.
    package var seed: UInt64

    /// Describes which occasions are struck.
    package init(
        skip: Int = 0, first: Int? = nil, every: Int = 1, probability: Double = 1, seed: UInt64 = 0
    ) {
        self.skip = skip
        self.first = first
        self.every = every
        self.probability = probability
        self.seed = seed
    }

    /// Strikes each time.
    package static let always = FaultTrigger()

    /// Strikes once.
    package static let once = FaultTrigger(first: 1)
}

/// A trigger at work.
struct FaultCount {
    let trigger: FaultTrigger
    /// How many occasions matched.
    private(set) var matched = 0
    /// How often the fault struck.
    private(set) var struck = 0
    private let random: SeededRandom?

    init(_ trigger: FaultTrigger) {
        self.trigger = trigger
        random = trigger.probability < 1 ? SeededRandom(seed: trigger.seed) : nil
    }

    /// Counts a matching occasion and says whether the fault strikes it.
    mutating func strikes() -> Bool {
        matched += 1
        let ordinal = matched - trigger.skip
        guard ordinal > 0, ordinal % max(trigger.every, 1) == 0 else { return false }
        if let first = trigger.first, struck >= first { return false }
        if let random, random.unitInterval() >= trigger.probability { return false }
        struck += 1
        return true
    }
}

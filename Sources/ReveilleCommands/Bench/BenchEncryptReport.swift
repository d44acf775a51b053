internal import ReveilleJSON
internal import ReveilleRuntime

/// What a measurement of encryption came to.
struct BenchEncryptReport {
    /// How many messages were encrypted.
    let messages: Int
    /// The length of each.
    let octets: Int
    /// Messages a second by the clock.
    let rate: Double
    /// Messages for each second that the thread had a core: what others do on the machine counts less.
    let perCore: Double

    /// Computes the figures.
    init(messages: Int, octets: Int, wall: Duration, processor: Duration) {
        self.messages = messages
        self.octets = octets
        rate = Self.rate(messages, in: wall)
        perCore = Self.rate(messages, in: processor)
    }

    private static func rate(_ messages: Int, in time: Duration) -> Double {
        let seconds = time / .seconds(1)
        return seconds > 0 ? (Double(messages) / seconds).rounded() : 0
    }

    /// `messages`, `octets`, `rate`, `per_core`.
    var json: JSONValue {
        [
            "messages": .integer(Int64(messages)), "octets": .integer(Int64(octets)), "rate": .integer(Int64(rate)),
            "per_core": .integer(Int64(perCore)),
        ]
    }
}

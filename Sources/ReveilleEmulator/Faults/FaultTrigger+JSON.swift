internal import ReveilleJSON

/// Bounds of what a fault may say, for every service.
enum FaultLimits {
    /// The longest text in a fault, in bytes.
    static let maximumTextBytes = 8 * 1024
    /// The longest name of a fault, in bytes.
    static let maximumNameBytes = 64
    /// The longest wait, in milliseconds: ten minutes, above every deadline of a sender.
    static let maximumMilliseconds: Int64 = 600_000
    /// The largest count in a trigger.
    static let maximumCount: Int64 = 1_000_000_000
}

extension FaultTrigger {
    /// The member `when` of a fault.
    init(in fields: inout JSONFields) throws(JSONFieldError) {
        self.init()
        guard var given = try fields.optionalObject("when") else { return }
        skip = Int(try given.optionalInteger("skip", in: 0...FaultLimits.maximumCount) ?? 0)
        first = try given.optionalInteger("first", in: 0...FaultLimits.maximumCount).map(Int.init)
        every = Int(try given.optionalInteger("every", in: 1...FaultLimits.maximumCount) ?? 1)
        if let value = given.optionalValue("probability") {
            guard let probability = value.double, (0...1).contains(probability) else {
                throw given.error(.outOfRange, "probability", "must be a number from 0 to 1")
            }
            self.probability = probability
        }
        seed = UInt64(try given.optionalInteger("seed", in: 0...Int64.max) ?? 0)
        try given.finish()
    }

    /// The member `when` of a fault; empty when it strikes each time.
    var json: JSONObject {
        var object = JSONObject()
        if skip > 0 { object["skip"] = .integer(Int64(skip)) }
        object["first"] = first.map { .integer(Int64($0)) }
        if every > 1 { object["every"] = .integer(Int64(every)) }
        if probability < 1 {
            object["probability"] = JSONValue(probability)
            object["seed"] = .integer(Int64(clamping: seed))
        }
        return object
    }
}

/// Up to three days since 1970 in one stored integer, 21 bits each, the oldest in the highest bits; 0 for none.
enum PackedDays {
    private static let bits: Int64 = 21
    private static let mask: Int64 = (1 << bits) - 1

    static func pack(_ days: [Int64]) -> Int64 {
        days.suffix(3).reduce(0) { $0 << bits | ($1 & mask) }
    }

    static func unpack(_ packed: Int64) -> [Int64] {
        [packed >> (2 * bits) & mask, packed >> bits & mask, packed & mask].filter { $0 != 0 }
    }
}

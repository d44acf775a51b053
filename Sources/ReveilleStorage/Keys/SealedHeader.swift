/// What stands in front of every sealed value: which key opens it.
///
/// Six octets: the layout's number, the master key's generation (2) and the day of the data key (3), most significant
/// first. They are authenticated with the value.
struct SealedHeader: Hashable {
    /// Octets of a header.
    static let octets = 6
    private static let layout: UInt8 = 1
    private static let largestDay: UInt32 = 0xFF_FFFF

    let generation: UInt16
    let day: UInt32

    init(generation: UInt16, day: UInt32) {
        self.generation = generation
        self.day = min(day, Self.largestDay)
    }

    /// Reads the header of a sealed value; nil when it is none.
    init?(_ sealed: UnsafeRawBufferPointer) {
        guard sealed.count >= Self.octets, sealed[0] == Self.layout else { return nil }
        generation = UInt16(sealed[1]) << 8 | UInt16(sealed[2])
        day = UInt32(sealed[3]) << 16 | UInt32(sealed[4]) << 8 | UInt32(sealed[5])
    }

    func write(into target: UnsafeMutableRawBufferPointer) {
        target[0] = Self.layout
        target[1] = UInt8(generation >> 8)
        target[2] = UInt8(truncatingIfNeeded: generation)
        target[3] = UInt8(truncatingIfNeeded: day >> 16)
        target[4] = UInt8(truncatingIfNeeded: day >> 8)
        target[5] = UInt8(truncatingIfNeeded: day)
    }
}
